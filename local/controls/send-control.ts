import { join } from 'node:path';
import { UserFacingError } from 'serve-stack';
import { readJsonIfWhole } from 'serve-stack/host';
import { type ControlAnswer, type ControlConnection, type ControlRequest, controlsFile } from './control-server.ts';

/** Sends a control to the run in that folder. Throws UserFacingError if no run is up, or if the run refuses the control. */
export const sendControl = async (directory: string, request: ControlRequest): Promise<ControlAnswer['lines']> => {
  const connection = readJsonIfWhole<ControlConnection>(join(directory, controlsFile));
  if (!connection) throw noRun(directory);
  const { url, token } = connection;
  const answer = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(request),
  }).catch(() => undefined);
  if (!answer) throw noRun(directory);
  const { lines } = (await answer.json()) as ControlAnswer;
  if (answer.ok) return lines;
  throw new UserFacingError(lines.join('\n'));
};

const noRun = (directory: string) =>
  new UserFacingError(
    `No local run is up in ${directory}. Start one in another terminal and in the same folder: npm start. If it runs with another --directory, pass the same one here.`,
  );
