import type { ServedStack } from 'serve-stack';
import { resourcesOf } from 'serve-stack/template';

/** Tells where the queues, by the logical ids without their hashes, and the bus of the portal are, and how their owner asks. */
export const operatorMessagingOf = ({ version, messaging }: ServedStack) => {
  const { stack, resolve } = version();
  const idsOf = (type: string) =>
    Object.fromEntries(
      resourcesOf(stack.template, type).map(({ logicalId }) => [
        logicalId.replace(/[0-9A-F]{8}$/, ''),
        resolve<string>({ Ref: logicalId }),
      ]),
    );
  const { queueEndpoint, eventEndpoint, credentialsOf } = messaging;
  return {
    ...{ queueEndpoint, eventEndpoint },
    queueUrls: idsOf('AWS::SQS::Queue'),
    portalBus: idsOf('AWS::Events::EventBus').SeamsPortalBus,
    credentials: credentialsOf(),
  };
};
