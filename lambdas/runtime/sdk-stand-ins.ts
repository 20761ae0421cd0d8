import type { AwsCredentialIdentityProvider } from '@aws-sdk/types';

/**
 * Replaces the SDK's default credential chain in the bundles: a function's credentials are always in its environment, and the
 * chain's other sources (SSO, STS, files) would be a third of the bundle.
 */
export const defaultProvider = (): AwsCredentialIdentityProvider => async () => {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = process.env;
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY)
    throw new Error('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set; the Lambda runtime sets them.');
  return {
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    ...(AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN }),
  };
};

/**
 * Replaces the SDK's event streams in the bundles. No command of DynamoDB has one, but the SDK imports them when it sends the
 * first command; for that import the bundler would wrap most modules of the SDK, which costs a quarter of the loading time.
 */
export const eventStreamSerdeProvider = (): never => {
  throw new Error(
    'The bundles have no event streams. Remove their alias in infra/functions/bundle.ts to use a command that has one.',
  );
};

/** Leaves out the configuration of event streams, for clients that have commands with event streams but send none of them. */
export const resolveEventStreamSerdeConfig = <Config>(config: Config): Config => config;
