/** Lists API Gateway's own answers by response type: status, message and error code, unless the template says otherwise. */
const defaults = {
  ACCESS_DENIED: [403, 'Forbidden', 'AccessDeniedException'],
  API_CONFIGURATION_ERROR: [500, 'Internal server error', 'InternalServerErrorException'],
  DEFAULT_4XX: [400, 'Bad Request', 'BadRequestException'],
  DEFAULT_5XX: [502, 'Internal server error', 'InternalServerErrorException'],
  MISSING_AUTHENTICATION_TOKEN: [403, 'Missing Authentication Token', 'MissingAuthenticationTokenException'],
  REQUEST_TOO_LARGE: [413, 'HTTP content length exceeded 10485760 bytes.', 'RequestTooLargeException'],
  THROTTLED: [429, 'Too Many Requests', 'TooManyRequestsException'],
} as const;

export type GatewayErrorType = keyof typeof defaults;

/** Ends a request with one of API Gateway's own answers. */
export class GatewayError extends Error {
  readonly type: GatewayErrorType;
  readonly status: number;
  readonly code: string;
  /** Tells the one who runs the service, never its client, what went wrong behind the answer. */
  readonly reason: string | undefined;

  constructor(type: GatewayErrorType, { message, reason }: { message?: string; reason?: string } = {}) {
    const [status, defaultMessage, code] = defaults[type];
    super(message ?? defaultMessage);
    this.type = type;
    this.status = status;
    this.code = code;
    this.reason = reason;
  }
}
