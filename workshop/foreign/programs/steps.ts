/** The API's URL, the key, the owner and the gateway of the steps. */
export const {
  BASE_URL: baseUrl = '',
  API_KEY: apiKey = '',
  USER_ID: userId = '',
  GATEWAY_ID: gatewayId = '',
} = process.env;

/** A day of a time program. */
export const theDay = [
  { dayOfWeek: 'friday' as const, time: '06:30', setpoint: 'comfort' as const },
  { dayOfWeek: 'friday' as const, time: '22:00', setpoint: 'eco' as const },
];
