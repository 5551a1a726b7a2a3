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
    "ruling.win": "cuenta como victoria de {winner}",
    "ruling.draw": "cuenta como tablas",
    "ruling.void": "no cuenta",
    "ruling.replay": "se repite",
    "ruling.stands": "cuenta como terminó",
    "ruling.by": "Por decisión del docente esta partida {verdict}: {why}",
    "judge.drawn": "Tablas: ninguna jugada la decidió.",
    "judge.undecided": "Ninguna jugada suelta la decidió, hasta donde ve el juez.",
    "judge.from_start": "Ninguna jugada la decidió: desde este comienzo {player} pierde contra un juego perfecto. "
    "Prueba desde el otro lado.",
    "judge.decisive": "Se decidió en la jugada {ply}: {player} jugó {action}, que pierde; {better} no pierde.",
    "judge.estimated": "Probablemente se decidió en la jugada {ply}, según una estimación: {player} jugó {action}; "
    "{better} es mejor.",
    "judge.line": "  mejor, los dos por turnos: {line}",
    "judge.refutation": "  tras lo jugado, los dos lo mejor posible: {line}",
    "judge.accuracy": "Jugadas que importaban: {player} acertó {kept} de {choices}.",
    "judge.look": "Míralo: palestra replay {match} --ply {ply}",
    "judge.crash": "La excepción está guardada aquí: {error}. Para repetirla: palestra replay-crash {file} BOT",
    "judge.proof": "  La línea, paso a paso: palestra replay {match} --ply {ply} --line {line}",
    "judge.repeated": "{player}: {cause} en {count} de {losses} derrotas.",
    "agreement.contradict": "{player} se contradice, sea cual sea su evaluación: mirando {depth} jugadas adelante "
    "desde la jugada {ply} dice {told:g}, pero sus propios valores dos jugadas después dan {own:g}. El fallo está en "
    "su búsqueda: una tabla que toma cotas por valores, jugadas que se deja, una poda mal hecha. (Las reducciones "
    "hechas a propósito también lo causan.)",
    "agreement.agree": "{player}: sus valores concuerdan entre sí en {places} posiciones: ahí no se ve ningún fallo "
    "de su búsqueda.",
    "agreement.unsteady": "{player}: no responde dos veces lo mismo en la jugada {ply}: hay azar en su búsqueda, o en "
    "el orden de un conjunto; una búsqueda que sea siempre igual se puede arreglar.",
    "agreement.incomparable": "{player}: sus valores no se pueden comparar. Debe comunicar profundidad y valor tras "
    "cada profundidad que acaba, 1, 2, 3, 4 y así, y no una vez por jugada: turn.report(depth=..., value=...). Si ya "
    "lo hace, dale más tiempo con --move-ms.",
    "diagnosis.horizon": "{player}, jugada {ply}: mirando {needed} jugadas adelante se ve lo malo de {action}; miró "
    "{depth}.",
    "diagnosis.deep": "{player}, jugada {ply}: {action} es un error, pero no se ve ni mirando {beyond} jugadas "
    "adelante.",
    "diagnosis.unreported": "{player}, jugada {ply}: mirando {needed} jugadas adelante se ve lo malo de {action}; no "
    "dijo hasta dónde miró (turn.report(depth=...)).",
    "diagnosis.search": "{player}, jugada {ply}: un fallo en la búsqueda o la evaluación: mirando {needed} jugadas "
    "adelante se ve que {action} es mala, y dice que miró {depth}. Imprime qué respuestas prueba ahí su búsqueda y "
    "qué dice de cada una.",
    "diagnosis.evaluation": "{player}, jugada {ply}: mirando {needed} jugadas adelante, nuestra evaluación de "
    "posiciones prefiere {better} a {action}, y miró {depth}. Eso no prueba un fallo: imprime qué dice su propia "
    "evaluación de las dos.",
    "diagnosis.early": "{player}, jugada {ply}: solo usó {took_ms} de {move_ms} para {action}; en el resto habría "
    "podido mirar {bought} jugadas más, más o menos. Que profundice hasta que casi se acabe su tiempo.",
    "diagnosis.late": "{player}, jugada {ply}: perdió por tiempo, tras {took_ms} de {move_ms}; la posición estaba "
    "{worth}.",
    "diagnosis.forfeit": "{player}, jugada {ply}: la posición estaba {worth}.",
    "diagnosis.depth": "{player} tiene un fallo: mira una jugada menos de lo que dice",
    "diagnosis.sign": "{player} tiene un fallo: su evaluación tiene el signo cambiado, y lo bueno recibe valores bajos",
    "diagnosis.view": "{player} tiene un fallo: su evaluación mira por quien mueve, y no por sí mismo",
    "diagnosis.last_move": "{player} tiene un fallo: su búsqueda se deja la última de las jugadas posibles",
    "diagnosis.extra_turn": "{player} tiene un fallo: su búsqueda no sabe que una jugada puede dar otro turno",
    "diagnosis.capture": "{player} tiene un fallo: su búsqueda no conoce las capturas",
    "diagnosis.bomb": "{player} tiene un fallo: su búsqueda no conoce la bomba",
    "diagnosis.fits": ". {fits} de {of} valores comparados encajan con eso, y {telling} de ellos con ninguna "
    "búsqueda correcta: en la jugada {ply} dijo {told}, mirando {depth} adelante, donde una búsqueda correcta dice "
    "{sound}.",
    "diagnosis.others": ". {fits} de {of} valores comparados, de esta partida y de otras, encajan con eso, y "
    "{telling} de ellos con ninguna búsqueda correcta: en la jugada {ply} dijo {told}, mirando {depth} adelante, "
    "donde una búsqueda correcta dice {sound}.",
    "diagnosis.there": "{player}, jugada {ply}: por ese fallo jugó {action}.",
    "cause.ends": "toma victorias por derrotas",
    "diagnosis.ends": "{player} tiene un fallo: donde la partida acaba, toma victorias por derrotas",
    "mend.ends": " Mira de quién es el resultado que lee ahí.",
    "mend.depth": " Mira con qué profundidad empieza y dónde se resta una.",
    "mend.sign": " Busca un menos que deba ser un más, o al revés.",
    "mend.view": " Dale el asiento del bot, no el de quien mueve.",
    "mend.last_move": " Mira dónde acaban sus bucles sobre las jugadas posibles.",
    "mend.extra_turn": " Tras cada jugada, pregunta de nuevo a quién le toca.",
    "mend.capture": " Compara sus propias jugadas con las del reglamento.",
    "mend.bomb": " Compara sus propias jugadas con las del reglamento.",
    "cause.horizon": "no buscó lo bastante hondo",
    "cause.deep": "un error que no ve ninguna búsqueda",
    "cause.unreported": "quizá no buscó lo bastante hondo",
    "cause.search": "un error en la búsqueda o la evaluación",
    "cause.evaluation": "una evaluación dudosa",
    "cause.early": "paró demasiado pronto",
    "cause.late": "perdió por tiempo",
    "cause.forfeit": "falló, se fue o jugó algo ilegal",
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
