import type { Endpoint } from '../../../lambdas/api/endpoints/endpoint.ts';
import { endpoints } from '../../../lambdas/api/endpoints/endpoints.ts';
import type { DemoCompany } from '../../demo/demo-world.ts';
import { type PartnerRequest, requestOf } from './http-client.ts';

type Method = Endpoint['method'];

const rows: readonly Endpoint[] = Object.values(endpoints);

/** Lists what a company can ask of its gateways with a method: each endpoint, for each of its things. */
export const gatewayRequestsOf = (company: DemoCompany, method: Method): PartnerRequest[] =>
  rows
    .filter((row) => row.method === method && row.path.includes('{gatewayId}'))
    .flatMap((row) => pathsOf(row, company).map((path) => requestOf(company, path, { method, body: bodyOf(row) })));

/** Lists what a company can read without naming anything. */
export const generalReadsOf = (company: DemoCompany): PartnerRequest[] =>
  rows
    .filter(({ method, path }) => method === 'GET' && !path.includes('{'))
    .map(({ path }) => requestOf(company, path));

const pathsOf = ({ path, family }: Endpoint, { gateways }: DemoCompany): string[] => {
  const paths = gateways.flatMap(({ gatewayId, heatingCircuits, dhwCircuits }) =>
    (family === 'dhw' ? dhwCircuits : heatingCircuits).flatMap(({ circuitId, timeProgramIds }) =>
      timeProgramIds.map((timeProgramId) => fill(path, { gatewayId, circuitId, timeProgramId })),
    ),
  );
  return [...new Set(paths)];
};

const fill = (path: string, ids: Readonly<Record<string, string>>) =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '');

const bodyOf = ({ method, family }: Endpoint): unknown => {
  if (method === 'PUT') return eveningProgram;
  if (method === 'PATCH') return family === 'dhw' ? { waterSetpointCelsius: 50 } : { roomSetpointCelsius: 20.5 };
  return undefined;
};

const eveningProgram = {
  name: 'Evenings',
  switchPoints: [
    { dayOfWeek: 'friday', time: '17:30', setpoint: 'comfort' },
    { dayOfWeek: 'friday', time: '23:00', setpoint: 'eco' },
  ],
};
