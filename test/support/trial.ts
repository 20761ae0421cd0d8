/** Where a trial is, and who may call it: what the outputs of its stack say. */
export const placeOfTrial = { account: '210987654321', region: 'eu-central-1', allowedCidrs: ['93.184.216.34/32'] };
