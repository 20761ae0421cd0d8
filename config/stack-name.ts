const prefix = 'PartnerApi-';

/** The stack of a stage. Names in AWS that a person looks for begin with it. */
export const stackNameOf = (stage: string): string => prefix + stage;

/** The stage of a stack. */
export const stageOf = (stackName: string): string => stackName.slice(prefix.length);
