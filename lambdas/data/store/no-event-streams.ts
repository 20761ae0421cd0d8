/**
 * Stands in for the SDK's event streams in the bundles. No command of DynamoDB has one, and the SDK imports them when the
 * first is sent; for that the bundler would wrap most modules of the SDK, which is a quarter of the loading time.
 */
export const eventStreamSerdeProvider = (): never => {
  throw new Error(
    'The bundles have no event streams. Remove their alias in infra/functions/bundle.ts to use a command that has one.',
  );
};
