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
 * @typedef {{code: string, [part: string]: string | number}} Why
 * @typedef {{returns: [number, number], reason: string, why?: Why | null, receipt?: string | null}} Result
 * @typedef {{match: string, game: string, players: [string, string], tournament?: string | null, tournament_title?: string | null, plies: number,
 *   returns: [number, number] | null, reason: string | null, why?: Why | null, live: boolean,
 *   started?: string | number | null, ended?: string | number | null, rated?: boolean}} Summary
 * @typedef {{role: "visitor" | "player" | "teacher", player: string | null}} Session
 * @typedef {{name: string, version: string, games: {name: string, actions: number}[], guests: boolean, ws: string,
 *   port: number, levels: string[], install: string}} About
 */
export {};
