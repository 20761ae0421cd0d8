import { pathParametersOf } from '../../../api/endpoints/endpoint.ts';
import { invalidRequest, pointerTo } from '../../../api/invalid-request.ts';
import { expectedId, idPattern } from '../../../api/schemas/common.ts';
import type { Step } from '../step.ts';

/** Takes the ids of the path as they are; one that is not well-formed, or not decoded, is refused before it costs a read. */
export const pathIds: Step<'pathIds'> =
  ({ path }) =>
  ({ event }) => {
    const ids = Object.fromEntries(pathParametersOf(path).map((name) => [name, event.pathParameters?.[name] ?? '']));
    const faults = Object.entries(ids)
      .filter(([, id]) => !idPattern.test(id))
      .map(([name]) => ({ pointer: pointerTo('path', name), detail: expectedId }));
    return faults.length > 0 ? invalidRequest(faults) : { pathIds: ids };
  };
