// For the checker only (.ci/check_page): the types that preact publishes.
export * from "preact";
