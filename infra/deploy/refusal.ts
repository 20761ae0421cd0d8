/** Says why a stage is not deployed, and what to do, in sentences for the person who deploys. */
export class Refusal extends Error {}
