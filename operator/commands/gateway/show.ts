import * as z from 'zod';
import { dhwMeasurements, heatingMeasurements } from '../../../lambdas/api/schemas/circuit.ts';
import { readingsOf } from '../../../lambdas/api/schemas/measurement.ts';
import { readShadows, type StoredShadow, toGateway } from '../../../lambdas/data/appliances/appliances.ts';
import { type MeasurementsItem, measurementsItemKey } from '../../../lambdas/data/appliances/measurements.ts';
import {
  type AnyPartsItem,
  atMsOf,
  partsOf,
  partsPrefix,
  readPartsItems,
} from '../../../lambdas/data/appliances/parts-items.ts';
import { ownersPrefix, toOwners } from '../../../lambdas/data/contracts/grants.ts';
import { queryPartition } from '../../../lambdas/data/store/reads.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import type { Gateway } from '../../../lambdas/domain/appliance.ts';
import { entriesOf } from '../../../lambdas/domain/by-id.ts';
import { grantOf } from '../../../lambdas/domain/grant.ts';
import { measurementsIn } from '../../../lambdas/domain/measurement.ts';
import { toTimestamp } from '../../../lambdas/domain/time.ts';
import { defineCommand, idOf } from '../../cli/command.ts';
import { validUntilOf } from '../../companies/change-fate.ts';
import { OperatorError } from '../../error.ts';
import { itemName } from '../change.ts';

const values = z.record(z.string(), z.unknown());

const item = z.strictObject({
  item: z.string(),
  version: z.int(),
  reportedAt: z.iso.datetime(),
  reported: values,
  /** The requested values; null if no change is open. */
  desired: values.nullable(),
  requestedAt: z.iso.datetime().nullable(),
  /** When the first of the requested values expires; null if none does. */
  validUntil: z.iso.datetime().nullable(),
  lastRefusal: z
    .strictObject({ version: z.int(), reason: z.string(), detail: z.string(), at: z.iso.datetime() })
    .nullable(),
  lastDropped: z.strictObject({ version: z.int(), reason: z.string(), at: z.iso.datetime() }).nullable(),
});

export const gatewayShow = defineCommand({
  noun: 'gateway',
  verb: 'show',
  summary: 'Show the reports of a gateway and its appliances, the requested changes, and the companies with access',
  arguments: { gatewayId: { summary: 'the gateway', schema: idOf('gateway') } },
  options: {},
  changes: false,
  requirements: { tableActions: { Appliances: ['Query'] } },
  output: z.strictObject({
    gatewayId: z.string(),
    /** Null if the gateway backend has not described the gateway, or has removed it. */
    gateway: z
      .strictObject({
        name: z.string(),
        type: z.string(),
        connectivity: z.string(),
        lastSeenAt: z.iso.datetime(),
        components: z.array(values),
        limits: values,
        features: z.array(z.string()),
        timeZone: z.string().nullable(),
        blocks: z.array(
          z.strictObject({ function: z.string(), since: z.iso.datetime(), until: z.iso.datetime().nullable() }),
        ),
        faults: z.array(
          z.strictObject({
            code: z.string(),
            componentId: z.string().nullable(),
            severity: z.string(),
            text: z.string().nullable(),
            since: z.iso.datetime(),
          }),
        ),
      })
      .nullable(),
    items: z.array(item),
    /** The newest day or hour of each kind of report, and how many are stored. */
    periods: z.array(
      z.strictObject({ kind: z.string(), newest: z.string(), reportedAt: z.iso.datetime(), stored: z.int() }),
    ),
    measurements: z.array(
      z.strictObject({
        name: z.string(),
        componentId: z.string().nullable(),
        value: z.number().nullable(),
        unit: z.string().nullable(),
        state: z.string().nullable(),
        measuredAt: z.iso.datetime(),
      }),
    ),
    companies: z.array(z.strictObject({ companyId: z.string(), userId: z.string(), grantedAt: z.iso.datetime() })),
  }),
  run: async (context, { gatewayId }) => {
    const { store } = await context.connect();
    const [gateway, shadows, partsItems, companies] = await Promise.all([
      readGateway(store, gatewayId),
      readShadows(store, gatewayId),
      readPartsItems(store, gatewayId),
      readCompanies(store, gatewayId),
    ]);
    if (!gateway && companies.length === 0)
      throw new OperatorError(
        'not-found',
        `Gateway ${gatewayId} was not described, and is not granted to any company.`,
      );
    if (!gateway) context.talk('The gateway backend has not described this gateway, or has removed it.');
    const items = shadows.map(presentItem);
    return {
      gatewayId,
      gateway: gateway && presentGateway(gateway),
      items,
      periods: newestPeriods(partsItems),
      measurements: partsItems.flatMap(presentMeasurements),
      companies,
    };
  },
  view: ({ gatewayId, gateway, items, periods, measurements, companies }) => [
    {
      title: gatewayId,
      fields: gateway
        ? {
            name: gateway.name,
            type: gateway.type,
            connectivity: gateway.connectivity,
            'last seen': gateway.lastSeenAt,
            components: gateway.components.map(({ model }) => model).join(', '),
            features: gateway.features.join(', '),
            'time zone': gateway.timeZone ?? 'not known',
          }
        : { name: 'not described' },
    },
    {
      title: 'Reports of days and hours',
      rows: periods.map(({ kind, newest, reportedAt, stored }) => ({
        kind,
        newest,
        reported: reportedAt,
        stored,
      })),
    },
    {
      title: 'Measurements',
      rows: measurements.map(({ name, componentId, value, unit, state, measuredAt }) => ({
        measurement: name,
        component: componentId,
        value: value ?? state,
        unit,
        measured: measuredAt,
      })),
    },
    { title: 'Blocks', rows: gateway?.blocks ?? [] },
    { title: 'Faults', rows: gateway?.faults ?? [] },
    {
      title: 'Circuits, time programs and holiday',
      rows: items.map(
        ({
          item: name,
          version,
          reportedAt,
          reported,
          desired,
          requestedAt,
          validUntil,
          lastRefusal,
          lastDropped,
        }) => ({
          item: name,
          version,
          reported: shortly(reported),
          at: reportedAt,
          desired: desired && shortly(desired),
          requested: requestedAt,
          'valid until': validUntil,
          'refused as': lastRefusal?.reason,
          'dropped as': lastDropped?.reason,
        }),
      ),
    },
    {
      title: 'Companies',
      rows: companies.map(({ companyId, userId, grantedAt }) => ({
        company: companyId,
        user: userId,
        since: grantedAt,
      })),
    },
  ],
});

/** Shows only the length of a list, such as switch points. The JSON output has the whole list. */
const shortly = (values: Readonly<Record<string, unknown>>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name} ${wordsOf(value)}`)
    .join(', ');

const wordsOf = (value: unknown): string => {
  if (Array.isArray(value)) return `(${value.length})`;
  return value && typeof value === 'object'
    ? `(${shortly(value as Readonly<Record<string, unknown>>)})`
    : String(value);
};

const readGateway = async (store: Store, gatewayId: string): Promise<Gateway | null> => {
  const { items } = await queryPartition(store, 'Appliances', { partition: gatewayId, prefix: 'GATEWAY' });
  return items[0] ? toGateway(items[0]) : null;
};

const readCompanies = async (store: Store, gatewayId: string) => {
  const { items } = await queryPartition(store, 'Appliances', { partition: gatewayId, prefix: ownersPrefix });
  return items.flatMap((row) =>
    entriesOf(toOwners(row))
      .filter(([, { isGranted }]) => isGranted)
      .map(([userId, known]) => ({
        companyId: String(row.sk).slice(ownersPrefix.length),
        userId,
        grantedAt: toTimestamp(grantOf(known).grantedAtMs),
      })),
  );
};

/** Returns the newest day or hour of each kind. An item has its parts in any order. */
const newestPeriods = (items: readonly AnyPartsItem[]) => {
  const periods = items.flatMap((item) => {
    const [kind = '', itemPeriod] = item.sk.slice(partsPrefix.length).toLowerCase().split('#');
    if (itemPeriod === undefined) return [];
    return Object.entries(partsOf(item)[1]).map(([name, part]) => ({
      kind,
      newest: periodOf(itemPeriod, name),
      reportedAt: toTimestamp(atMsOf(part)),
    }));
  });
  return [...Map.groupBy(periods, ({ kind }) => kind).values()].map((ofKind) => ({
    ...ofKind.reduce((one, other) => (other.newest > one.newest ? other : one)),
    stored: ofKind.length,
  }));
};

/** Returns the day `2026-11-28` of a month, or the hour `2026-11-28T14:30Z` of a day. */
const periodOf = (item: string, part: string): string => (part.includes(':') ? `${item}T${part}Z` : `${item}-${part}`);

const presentMeasurements = (item: AnyPartsItem) =>
  item.sk === measurementsItemKey('').sk
    ? measurementsIn((item as MeasurementsItem).measurements).map(({ atMs, ...each }) => ({
        ...each,
        measuredAt: toTimestamp(atMs),
      }))
    : [];

const presentGateway = ({ blocks, faults, lastSeenAtMs, ...gateway }: Gateway) => {
  const { name, type, connectivity, components, limits, features, timeZone } = gateway;
  return {
    name,
    type,
    connectivity,
    components,
    limits,
    features,
    timeZone,
    lastSeenAt: toTimestamp(lastSeenAtMs),
    blocks: Object.entries(blocks).map(([blocked, { sinceMs, untilMs }]) => ({
      function: blocked,
      since: toTimestamp(sinceMs),
      until: untilMs === null ? null : toTimestamp(untilMs),
    })),
    faults: faults.map(({ sinceMs, ...fault }) => ({ ...fault, since: toTimestamp(sinceMs) })),
  };
};

/** Returns settings as they are stored, and measurements as partners see them. */
const shownValues = (reported: Readonly<Record<string, unknown>>) => {
  const measured = Object.entries(measurements).filter(([name]) => Object.hasOwn(reported, name));
  return { ...reported, ...readingsOf(Object.fromEntries(measured), reported) };
};

const measurements = { ...heatingMeasurements, ...dhwMeasurements };

const presentItem = ({
  sk,
  version,
  reported,
  reportedAtMs,
  desired,
  desiredBy = {},
  desiredAtMs,
  lastRefusal,
  lastDropped,
}: StoredShadow) => ({
  item: itemName(sk),
  version,
  reportedAt: toTimestamp(reportedAtMs),
  reported: shownValues({ ...reported }),
  desired: desired ? { ...desired } : null,
  requestedAt: desiredAtMs === undefined ? null : toTimestamp(desiredAtMs),
  validUntil: validUntilOf(desiredBy),
  lastRefusal: lastRefusal
    ? {
        version: lastRefusal.version,
        reason: lastRefusal.reason,
        detail: lastRefusal.detail,
        at: toTimestamp(lastRefusal.atMs),
      }
    : null,
  lastDropped: lastDropped
    ? { version: lastDropped.version, reason: lastDropped.reason, at: toTimestamp(lastDropped.atMs) }
    : null,
});
