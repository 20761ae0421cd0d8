export type AlarmState = 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';

export type TreatMissingData = 'missing' | 'ignore' | 'breaching' | 'notBreaching';

type Evaluation = {
  /** One for each evaluated period, oldest first; `undefined` where the period has no value. */
  readonly isBreaching: readonly (boolean | undefined)[];
  readonly datapointsToAlarm: number;
  readonly treatMissingData: TreatMissingData;
  readonly previous: AlarmState;
};

/**
 * The state of a metric alarm after an evaluation. CloudWatch looks further back than the evaluated periods for values in
 * place of missing ones, how far it does not tell; this does not.
 */
export const stateAfter = ({ isBreaching, datapointsToAlarm, treatMissingData, previous }: Evaluation): AlarmState => {
  const breaching = isBreaching.filter((each) => each === true).length;
  const missing = isBreaching.filter((each) => each === undefined).length;
  if (breaching + (treatMissingData === 'breaching' ? missing : 0) >= datapointsToAlarm) return 'ALARM';
  const isTreated = treatMissingData === 'breaching' || treatMissingData === 'notBreaching';
  if (isTreated || breaching + missing < isBreaching.length) return 'OK';
  if (treatMissingData === 'ignore') return previous;
  // Nothing but breaching values, too few of them: enough for CloudWatch once the oldest of them is old enough.
  const oldest = isBreaching.indexOf(true);
  return oldest >= 0 && isBreaching.length - oldest >= datapointsToAlarm ? 'ALARM' : 'INSUFFICIENT_DATA';
};
