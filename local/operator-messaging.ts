import type { ServedStack } from './aws/served-stack.ts';
import { resourcesOf } from './aws/template/template.ts';

/** Tells the operator's commands where the queues and the bus of the portal are, by the logical ids without their hashes. */
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
