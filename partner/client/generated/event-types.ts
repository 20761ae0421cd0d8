// Written by `npm run generate` from docs/openapi.json.

export const eventTypes = [
  "contract.changed",
  "consent.changed",
  "gateway.added",
  "gateway.removed",
  "api_key.expiring",
  "webhook.disabled",
  "gateway.connectivity_changed",
  "function.blocked",
  "function.unblocked",
  "circuit.changed",
  "time_program.changed"
] as const;
