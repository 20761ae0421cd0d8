import { accessSync, constants, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UserFacingError } from 'serve-stack';
import { killChildren, whenNpmEnds } from 'serve-stack/host';
import { bypassProxyOnLoopback } from 'serve-stack/loopback';
import { loadStageConfig } from '../config/load.ts';
import { isInStore } from '../config/schema.ts';
import { ignoreClosedPipes } from '../operator/cli/output.ts';
import { apiPagePath } from './api-page.ts';
import { createProgress, help, isHelpWanted, type Options, print, printFault, readOptions } from './command-line.ts';
import { replayMessage, webhookMessagesFile } from './demo/webhook-message-log.ts';
import { secretsFile } from './demo/webhook-receiver.ts';
import { type LocalService, startLocalService } from './service.ts';
import { swapOnChange } from './stack-swap.ts';
import { hashOfInputs } from './synthesis.ts';

const introduction = (
  { demo: { baseUrl, caFile, companies }, served, receiverHosts }: LocalService,
  { service }: Options,
): string => {
  const [company] = companies;
  const registration = isInStore(loadStageConfig('local')) ? ' --registration acme.json' : '';
  const { isOnAllAddresses } = service;
  const copy = isOnAllAddresses
    ? `Copy ${caFile} to the machine that calls, for example: docker cp <container>:${caFile} ca.pem\n`
    : '';
  const firstStep = company
    ? `${copy}curl --noproxy localhost --cacert '${isOnAllAddresses ? 'ca.pem' : caFile}' --header 'x-api-key: ${company.apiKey}' ${baseUrl}/contract`
    : `No company is onboarded yet:\nnpm run operator -- company onboard acme${registration} --local --reason 'to try it'`;
  const inspector = served.inspectorAddress
    ? `\nInspector of ${service.inspect}: ${served.inspectorAddress} (attach an editor, or open chrome://inspect)`
    : '';
  const messages = receiverHosts.length
    ? `\nWebhook messages to ${receiverHosts.map((host) => `https://${host}/`).join(', ')}: ${join(service.directory, webhookMessagesFile)} (${
        service.forwardWebhooksTo
          ? `answered by ${service.forwardWebhooksTo}`
          : `put secrets to verify signatures into ${secretsFile} in the same folder`
      })`
    : '';
  return `
Serving the synthesized stack at ${baseUrl}
Guide and reference: ${new URL(apiPagePath, baseUrl)}
Demo companies, keys and addresses: ${join(service.directory, 'demo.json')}
Bus and queues of the portal and the gateway backend: ${join(service.directory, 'integrations.json')}${messages}
Logs: ${join(service.directory, 'logs')}${inspector}

${firstStep}
`;
};

/** A folder beside the default one, or a temporary one if this checkout or its `.local` cannot be written. */
const anotherDirectory = (): string => {
  try {
    accessSync(existsSync('.local') ? '.local/.' : '.', constants.W_OK);
    return '.local/second';
  } catch {
    return join(tmpdir(), 'partner-api');
  }
};

/** Shows how to correct a wrong option of `serveStack` on the command line. */
const examples = {
  directory: `npm start -- --directory ${anotherDirectory()} --port 9443`,
  dynamoDbEndpoint: 'npm start -- --dynamodb-endpoint http://localhost:8000',
  port: 'npm start -- --port 9443',
};

const sentenceOf = ({ message, option }: UserFacingError): string =>
  option ? `${message.replace(/\.$/, '')}: ${examples[option]}` : message;

/** With a cold store, this machine is this many times slower than Lambda: without the factor, first calls would time out. */
const timeFactor = 5;

let isEnding = false;

bypassProxyOnLoopback();
ignoreClosedPipes();

const run = async (options: Options) => {
  const servedHash = options.isWatched ? hashOfInputs() : undefined;
  let isUp = false;
  const end = async (exitCode: number) => {
    isEnding = true;
    // An unfinished start serves no requests: without its children it fails and closes what it has opened.
    if (!isUp) killChildren();
    await starting.then(
      (service) => service.close(),
      () => undefined,
    );
    process.exit(exitCode);
  };
  const onStoreEnd = ({ message }: UserFacingError) => {
    if (isEnding) return;
    printFault(`${message} The run ends, because it cannot answer requests without its store.`);
    void end(1);
  };
  const progress = createProgress();
  const starting = startLocalService({
    ...options.service,
    timeFactor,
    print,
    announce: progress.announce,
    onStoreEnd,
  });
  starting.then(
    () => progress.end({ isDone: true }),
    () => progress.end({ isDone: false }),
  );
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      print('Stopping after the requests in progress. Send the same signal again to stop at once.');
      void end(0);
    });
  whenNpmEnds(() => void end(0));
  const service = await starting;
  isUp = true;
  if (isEnding) return;
  if (servedHash !== undefined) swapOnChange(service, servedHash, print);
  print(introduction(service, options));
  await service.openApiPage().catch(({ message }: Error) => {
    if (!isEnding) printFault(message);
  });
};

try {
  const commandLine = process.argv.slice(2);
  if (isHelpWanted(commandLine)) {
    print(help());
    process.exit();
  }
  const options = readOptions(commandLine);
  await (options.replay ? replayMessage(options.replay, print) : run(options));
} catch (error) {
  if (!isEnding) {
    printFault(error instanceof UserFacingError ? sentenceOf(error) : error);
    process.exit(1);
  }
}
