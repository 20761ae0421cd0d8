/** Who takes the steps, of which owner, and where. */
export const {
  BASE_URL: baseUrl = '',
  API_KEY: apiKey = '',
  USER_ID: userId = '',
  GATEWAY_ID: gatewayId = '',
} = process.env;

/** A day as a time program has it. */
export const theDay = [
  { dayOfWeek: 'friday' as const, time: '06:30', setpoint: 'comfort' as const },
  { dayOfWeek: 'friday' as const, time: '22:00', setpoint: 'eco' as const },
];
