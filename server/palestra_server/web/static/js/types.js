// @ts-check
// The shapes that travel. protocol/PROTOCOL.md and the API's schema (/api/v1/openapi.json) say what they mean.

/**
 * @typedef {0 | 1} Seat
 * @typedef {{kind: string, seat: Seat | null, count: number, highlight: boolean}} Cell
 * @typedef {{action: number, name: string, legal: boolean, cells: number[]}} ActionView
 * @typedef {{kind: "grid" | "pits", rows: number, cols: number, cells: Cell[], actions: ActionView[],
 *   to_move: Seat | null, returns: [number, number] | null, stores: [number, number] | null}} View
 * @typedef {{depth?: number, nodes?: number, value?: number, pv?: number[], text?: string}} Info
 * @typedef {{ply: number, seat: Seat, action: number, name: string, charged_ms: number | null, info: Info | null}} Move
 * @typedef {{code: string, seat: Seat, ply: number, values: {[key: string]: number}, line: number[]}} Diagnosis
 * @typedef {{ply: number, seat: Seat, action: number, value: number, best: number, class: string, plies?: number, estimate?: {chance: number}}} JudgedMove
 * @typedef {{ply: number, seat: Seat, action: number, better: number, line: number[], refutation: number[]}} Decisive
 * @typedef {{moves: JudgedMove[], decisive?: Decisive | null, accuracy: {kept: number[], choices: number[]}[], diagnoses: Diagnosis[]}} Analysis
 * @typedef {{code: string, [part: string]: string | number}} Why
 * @typedef {{returns: [number, number], reason: string, why?: Why | null, receipt?: string | null}} Result
 * @typedef {{match: string, game: string, players: [string, string], tournament?: string | null, tournament_title?: string | null, plies: number,
 *   returns: [number, number] | null, reason: string | null, why?: Why | null, live: boolean,
 *   started?: string | number | null, ended?: string | number | null, rated?: boolean, judged?: boolean, judging?: boolean, ruling?: Ruling | null}} Summary
 * @typedef {Summary & {receipt?: string | null, round?: number | null}} MatchFacts
 * @typedef {{role: "visitor" | "player" | "teacher", player: string | null, teacher: string, runs: boolean}} Session `teacher`: the name of a named key; `runs`: may change things
 * @typedef {{name: string, version: string, games: {name: string, actions: number}[], guests: boolean, ws: string,
 *   port: number, levels: string[], install: string, page: string, limits?: {move_ms?: number | null}}} About
 * @typedef {Record<string, string>} Params of an address
 */

/**
 * @typedef {{name: string, busy: boolean, person: boolean}} Present `person`: who plays here by hand
 * @typedef {{match: string, game: string, players: [string, string], tournament?: string | null, tournament_title?: string | null,
 *   ply: number, view: View | null, before: View | null, began: number, age_ms?: number,
 *   values?: (number | null)[], charged_ms?: (number | null)[], move_ms?: [number, number]}} LiveMatch
 *   `before`: the position before `view`, if the page saw it; `began`: by the page's own clock
 * @typedef {{type: "snapshot", players: Present[], matches: LiveMatch[]}
 *   | {type: "player_joined", player: string, person: boolean} | {type: "player_left", player: string}
 *   | {type: "match_start"} & LiveMatch
 *   | {type: "played", match: string, ply: number, view: View}
 *   | {type: "match_end", match: string, returns: [number, number], reason: string}} LobbyEvent
 */

/**
 * @typedef {{message: string, code: string, values: Record<string, string | number>}} Remark
 * @typedef {{line?: number, column?: number} & Remark} Fault of a file
 * @typedef {"draft" | "waiting" | "running" | "paused" | "completed"} TournamentState
 * @typedef {{name: string, title: string, format: string, format_title: string, games: string[], state: TournamentState,
 *   players: number, played: number, total: number | null, round: number | null, rounds: number | null,
 *   scheduled?: number | null, predicted_end?: string | number | null, started?: string | number | null, hides: boolean, revealed: boolean, closed: boolean, incomplete?: number | null, counts_all?: boolean,
 *   views: string[], troubles: Remark[], why_paused?: Remark | null, rulings?: Ruling[], struck?: number, carried?: {season: string, tournaments: {name: string, title: string | null}[]} | null,
 *   playing?: {players: [string, string], game: string, match: string | null, round: number}[],
 *   missing?: string[], entrants?: {name: string, reference: boolean}[], withdrawn?: Record<string, unknown>,
 *   seed?: number | string | null, commitment?: string | null,
 *   spec?: {warm_up?: unknown, absent: string, clock: {ready_ms: number, move_ms: number, grace_ms: number}, pairs: number, swap: boolean,
 *     openings: boolean, withdraw_after: number, embargo: string, grades: Rubric},
 *   criteria?: string[], outlook?: {matches: number, plies: number, hours: number, until: number, rounds: number | null} | null}} Tournament
 * @typedef {{maximum: number, base: number, beats: {level: string, points: number, game: string | null}[], rating: {at_least: number, points: number}[],
 *   reliability: {points: number} | null, participation: {points: number} | null, top: {places: number, points: number}[]}} Rubric
 * @typedef {{match: string, verdict: string, winner: string, why: string, players: string[], returns: [number, number], reason: string}} Ruling `returns`, `reason`: what the match counts as
 * @typedef {{rank: number, player: string, group: string, reference: boolean, withdrawn: boolean, points: number,
 *   tiebreaks: Record<string, number>, played: number, wins: number, draws: number, losses: number, rating: number | null,
 *   rating_low: number | null, rating_high: number | null, rank_low: number | null, rank_high: number | null, before: number | null}} Row
 *   `before`: the rank before the latest round that has a result
 * @typedef {{id: string, round: number, table: number, pair: string, leg: number, game: string, players: [string, string], state: string,
 *   match: string | null, returns: [number, number] | null, reason: string | null}} Fixture
 * @typedef {{players: (string | null)[], winner: string | null, points?: [number, number]}} Tie
 * @typedef {{name: string, group: string | null, guest: boolean, reference: boolean, online: boolean, busy: boolean, ready?: Record<string, boolean>,
 *   played?: number, won?: number, drawn?: number, lost?: number}} Player
 */
export {};
