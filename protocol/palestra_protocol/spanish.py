"""What a terminal says in Spanish, by code: of a match, how it ended and what the judge says. See `english`."""

from typing import Final

SENTENCES: Final = {
    "over.match": "{result}, {plies} jugadas",
    "why.won": "{winner} ganó según las reglas tras {ply} jugadas.",
    "why.drawn": "Tablas según las reglas tras {ply} jugadas.",
    "why.ply_limit": "Tablas: la partida llegó a su límite de {ply_limit} jugadas.",
    "why.late": "{player} tardó {took_ms} en la jugada {ply}; tenía {move_ms} y {grace_ms} de margen.",
    "why.silent": "{player} no respondió a tiempo en la jugada {ply}; tenía {move_ms} y {grace_ms} de margen.",
    "why.stayed_away": "{player} perdió la conexión en la jugada {ply} y no volvió en los {left_ms} que le quedaban.",
    "why.not_ready": "{player} no estuvo listo en {ready_ms}.",
    "why.neither_ready": "Ni {player} ni {other} estuvieron listos en {ready_ms}.",
    "why.resigned": "{player} se rindió en la jugada {ply}.",
    "why.crashed": "{player} falló en la jugada {ply}.",
    "why.illegal": "{player} respondió en la jugada {ply} con la acción {action}, que ahí no es legal.",
    "why.no_action": "{player} respondió en la jugada {ply} con {answer}, que no es ninguna acción de este juego.",
    "why.refused": "{player} rechazó el reto.",
    "why.taken_back": "{player} retiró una jugada y sigue en otra partida.",
    "why.name_taken": "{player} está ahora en la lista: el invitado de ese nombre tuvo que irse.",
    "why.failed": "El servidor no pudo seguir con {game} ({error}): la partida no cuenta para nadie.",
    "why.house_late": "{player}, un bot de este servidor, no llegó a tiempo: la partida no cuenta para nadie.",
    "judge.drawn": "Tablas: ninguna jugada la decidió.",
    "judge.undecided": "Ninguna jugada la decidió: al final no estaba perdida, o lo estaba desde el principio.",
    "judge.from_start": "Ninguna jugada la decidió: {player} la tenía perdida antes de mover, si el otro no falla "
    "nunca.",
    "judge.decisive": "Se decidió en la jugada {ply}: {player} jugó {action}, que pierde; {better} no pierde.",
    "judge.estimated": "Probablemente se decidió en la jugada {ply}, según una estimación: {player} jugó {action}; "
    "{better} es mejor.",
    "judge.line": "  mejor: {line}",
    "judge.refutation": "  lo que se jugó lleva a: {line}",
    "judge.accuracy": "{player} no estropeó nada en {kept} de {choices} elecciones.",
    "judge.look": "Míralo: palestra replay {match} --ply {ply}",
    "judge.proof": "  ¿Cómo lo sabemos? palestra replay {match} --ply {ply} --line {line}",
    "judge.repeated": "{player}: {cause} en {count} de {losses} derrotas.",
    "agreement.contradict": "{player} se contradice, sea cual sea su evaluación: mirando {depth} jugadas adelante "
    "desde la jugada {ply} dice {told:g}, pero sus propios valores dos jugadas después dan {own:g}. El fallo está en "
    "su búsqueda: una tabla que toma cotas por valores, jugadas que se deja, una poda mal hecha. (Las reducciones "
    "hechas a propósito también lo causan.)",
    "agreement.agree": "{player}: sus valores concuerdan entre sí en {places} posiciones: ahí no se ve ningún fallo "
    "de su búsqueda.",
    "agreement.unsteady": "{player}: no responde dos veces lo mismo en la jugada {ply}: hay azar en su búsqueda, o en "
    "el orden de un conjunto; una búsqueda que sea siempre igual se puede arreglar.",
    "agreement.incomparable": "{player}: sus valores no se pueden comparar. Debe comunicar profundidad y valor cada "
    "vez que mira una jugada más adelante (turn.report(depth=..., value=...)) y llegar a 4: dale más tiempo con "
    "--move-ms.",
    "diagnosis.horizon": "{player}, jugada {ply}: mirando {needed} jugadas adelante se ve lo malo de {action}; miró "
    "{depth}.",
    "diagnosis.deep": "{player}, jugada {ply}: {action} es un error, pero no se ve ni mirando {beyond} jugadas "
    "adelante.",
    "diagnosis.unreported": "{player}, jugada {ply}: mirando {needed} jugadas adelante se ve lo malo de {action}; no "
    "dijo hasta dónde miró (turn.report(depth=...)).",
    "diagnosis.search": "{player}, jugada {ply}: un error en la búsqueda o la evaluación: quien mira {needed} jugadas "
    "adelante no juega {action}, y dice que miró {depth}.",
    "diagnosis.evaluation": "{player}, jugada {ply}: mirando {needed} jugadas adelante, nuestra evaluación de "
    "posiciones prefiere {better}; miró {depth} y jugó {action}: mira qué piensa su evaluación de las dos.",
    "diagnosis.early": "{player}, jugada {ply}: solo usó {took_ms} de {move_ms} para {action}; en el resto habría "
    "podido mirar unas {bought} jugadas más adelante.",
    "diagnosis.late": "{player}, jugada {ply}: perdió por tiempo, tras {took_ms} de {move_ms}; la posición estaba "
    "{worth}.",
    "diagnosis.depth": "{player}: mira una jugada menos de lo que dice",
    "diagnosis.sign": "{player}: su evaluación de posiciones tiene el signo cambiado",
    "diagnosis.view": "{player}: su evaluación mira por quien mueve, y no por sí mismo",
    "diagnosis.last_move": "{player}: su búsqueda se deja la última de las jugadas posibles",
    "diagnosis.extra_turn": "{player}: su búsqueda no sabe que una jugada puede dar otro turno",
    "diagnosis.capture": "{player}: su búsqueda no conoce las capturas",
    "diagnosis.bomb": "{player}: su búsqueda no conoce la bomba",
    "diagnosis.fits": ", como muestran {fits} de {of} de sus valores: {told} en la jugada {ply}, mirando {depth} "
    "adelante, donde una búsqueda correcta dice {sound}.",
    "diagnosis.others": ", como muestran {fits} de {of} de sus valores, en esta partida y en otras: {told} en la "
    "jugada {ply}, mirando {depth} adelante, donde una búsqueda correcta dice {sound}.",
    "diagnosis.there": ": por eso jugó {action} en la jugada {ply}.",
    "cause.horizon": "no buscó lo bastante hondo",
    "cause.deep": "un error que no ve ninguna búsqueda",
    "cause.unreported": "quizá no buscó lo bastante hondo",
    "cause.search": "un error en la búsqueda o la evaluación",
    "cause.evaluation": "una evaluación dudosa",
    "cause.early": "paró demasiado pronto",
    "cause.late": "perdió por tiempo",
    "cause.depth": "miró una jugada menos de lo que dijo",
    "cause.sign": "una evaluación con el signo cambiado",
    "cause.view": "la evaluación del otro jugador",
    "cause.last_move": "se deja la última jugada",
    "cause.extra_turn": "olvida el otro turno",
    "cause.capture": "olvida las capturas",
    "cause.bomb": "olvida la bomba",
    "worth.1": "ganada",
    "worth.0": "igualada",
    "worth.-1": "perdida",
}
