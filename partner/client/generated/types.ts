// Written by `npm run client` from docs/openapi.json.

export interface paths {
    "/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the company's API keys, expired ones included
         * @description List the company's API keys, expired ones included.
         *
         *     Rate policy `general`: 5 requests at once, and one more every 500 ms, counted per company and operation. Costs one token, also when it then fails; free are a refusal with 429, and one before the key is known and the ids are well-formed.
         */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Create a new API key; the one in use stays valid
         * @description Create a new API key; the one in use stays valid.
         *
         *     Rate policy `general`: 5 requests at once, and one more every 500 ms, counted per company and operation. Costs one token, also when it then fails; free are a refusal with 429, and one before the key is known and the ids are well-formed.
         */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Describe the API key in use and what is left of its kind
         * @description Describe the API key in use and what is left of its kind.
         *
         *     Rate policy `general`: 5 requests at once, and one more every 500 ms, counted per company and operation. Costs one token, also when it then fails; free are a refusal with 429, and one before the key is known and the ids are well-formed.
         */
        get: operations["getOwnApiKey"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys/{keyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete any API key but the one in use
         * @description Delete any API key but the one in use.
         *
         *     Rate policy `general`: 5 requests at once, and one more every 500 ms, counted per company, operation and path with its ids. Costs one token, also when it then fails; free are a refusal with 429, and one before the key is known and the ids are well-formed.
         */
        delete: operations["deleteApiKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contract": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the contract: the user id to act for, and the state of consent
         * @description Read the contract: the user id to act for, and the state of consent.
         *
         *     Rate policy `general`: 5 requests at once, and one more every 500 ms, counted per company and operation. Costs one token, also when it then fails; free are a refusal with 429, and one before the key is known and the ids are well-formed.
         */
        get: operations["getContract"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/hvacs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the gateways of the contract
         * @description List the gateways of the contract.
         *
         *     Needs an active contract, its owner in `x-user-id`, and up-to-date consent.
         *
         *     Rate policy `general`: 5 requests at once, and one more every 500 ms, counted per company and operation. Costs one token, also when it then fails; free are a refusal with 429, and one before the key is known and the ids are well-formed.
         */
        get: operations["listGateways"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/hvacs/{gatewayId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a gateway: what it is made of, whether it is online, what it blocks
         * @description Read a gateway: what it is made of, whether it is online, what it blocks.
         *
         *     Needs an active contract, its owner in `x-user-id`, and up-to-date consent.
         *
         *     Rate policy `gateway`: 3 requests at once, and one more every 2000 ms, counted per company, operation and path with its ids. Costs one token, also when it then fails; free are a refusal with 429, and one before the key is known and the ids are well-formed. Gateways that are not in the contract are counted together, under the policy `general`.
         */
        get: operations["getGateway"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/hvacs/{gatewayId}/heatingCircuits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the heating circuits of a gateway
         * @description List the heating circuits of a gateway.
         *
         *     Needs an active contract, its owner in `x-user-id`, and up-to-date consent.
         *
         *     Rate policy `gateway`: 3 requests at once, and one more every 2000 ms, counted per company, operation and path with its ids. Costs one token, also when it then fails; free are a refusal with 429, and one before the key is known and the ids are well-formed. Gateways that are not in the contract are counted together, under the policy `general`.
         */
        get: operations["listHeatingCircuits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/hvacs/{gatewayId}/heatingCircuits/{circuitId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a heating circuit
         * @description Read a heating circuit.
         *
         *     Needs an active contract, its owner in `x-user-id`, and up-to-date consent.
         *
         *     Rate policy `gateway`: 3 requests at once, and one more every 2000 ms, counted per company, operation and path with its ids. Costs one token, also when it then fails; free are a refusal with 429, and one before the key is known and the ids are well-formed. Gateways that are not in the contract are counted together, under the policy `general`.
         */
        get: operations["getHeatingCircuit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Request another mode, setpoint or time program of a heating circuit
         * @description Request another mode, setpoint or time program of a heating circuit.
         *
         *     A change is a change: it is stored and visible at once, `pending` until the appliance reports that it has taken it, `confirmed` then. An appliance that is offline takes it later.
         *
         *     Needs an active contract, its owner in `x-user-id`, and up-to-date consent.
         *
         *     Rate policy `gateway`: 3 requests at once, and one more every 2000 ms, counted per company, operation and path with its ids. Costs one token, also when it then fails; free are a refusal with 429, and one before the key is known and the ids are well-formed. Gateways that are not in the contract are counted together, under the policy `general`.
         */
        patch: operations["updateHeatingCircuit"];
        trace?: never;
    };
    "/hvacs/{gatewayId}/heatingCircuits/{circuitId}/timePrograms": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the time programs of a heating circuit
         * @description List the time programs of a heating circuit.
         *
         *     Needs an active contract, its owner in `x-user-id`, and up-to-date consent.
         *
         *     Rate policy `gateway`: 3 requests at once, and one more every 2000 ms, counted per company, operation and path with its ids. Costs one token, also when it then fails; free are a refusal with 429, and one before the key is known and the ids are well-formed. Gateways that are not in the contract are counted together, under the policy `general`.
         */
        get: operations["listHeatingTimePrograms"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/hvacs/{gatewayId}/heatingCircuits/{circuitId}/timePrograms/{timeProgramId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a time program of a heating circuit
         * @description Read a time program of a heating circuit.
         *
         *     Needs an active contract, its owner in `x-user-id`, and up-to-date consent.
         *
         *     Rate policy `gateway`: 3 requests at once, and one more every 2000 ms, counted per company, operation and path with its ids. Costs one token, also when it then fails; free are a refusal with 429, and one before the key is known and the ids are well-formed. Gateways that are not in the contract are counted together, under the policy `general`.
         */
        get: operations["getHeatingTimeProgram"];
        /**
         * Request another content of a time program of a heating circuit
         * @description Request another content of a time program of a heating circuit.
         *
         *     A change is a change: it is stored and visible at once, `pending` until the appliance reports that it has taken it, `confirmed` then. An appliance that is offline takes it later.
         *
         *     Needs an active contract, its owner in `x-user-id`, and up-to-date consent.
         *
         *     Rate policy `time-program`: 1 request at once, and one more every 10000 ms, counted per company, operation and path with its ids. Costs one token, also when it then fails; free are a refusal with 429, and one before the key is known and the ids are well-formed. Gateways that are not in the contract are counted together, under the policy `general`.
         */
        put: operations["updateHeatingTimeProgram"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/hvacs/{gatewayId}/dhwCircuits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the hot-water circuits of a gateway
         * @description List the hot-water circuits of a gateway.
         *
         *     Needs an active contract, its owner in `x-user-id`, and up-to-date consent.
         *
         *     Rate policy `gateway`: 3 requests at once, and one more every 2000 ms, counted per company, operation and path with its ids. Costs one token, also when it then fails; free are a refusal with 429, and one before the key is known and the ids are well-formed. Gateways that are not in the contract are counted together, under the policy `general`.
         */
        get: operations["listDhwCircuits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/hvacs/{gatewayId}/dhwCircuits/{circuitId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a hot-water circuit
         * @description Read a hot-water circuit.
         *
         *     Needs an active contract, its owner in `x-user-id`, and up-to-date consent.
         *
         *     Rate policy `gateway`: 3 requests at once, and one more every 2000 ms, counted per company, operation and path with its ids. Costs one token, also when it then fails; free are a refusal with 429, and one before the key is known and the ids are well-formed. Gateways that are not in the contract are counted together, under the policy `general`.
         */
        get: operations["getDhwCircuit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Request another mode, setpoint or time program of a hot-water circuit
         * @description Request another mode, setpoint or time program of a hot-water circuit.
         *
         *     A change is a change: it is stored and visible at once, `pending` until the appliance reports that it has taken it, `confirmed` then. An appliance that is offline takes it later.
         *
         *     Needs an active contract, its owner in `x-user-id`, and up-to-date consent.
         *
         *     Rate policy `gateway`: 3 requests at once, and one more every 2000 ms, counted per company, operation and path with its ids. Costs one token, also when it then fails; free are a refusal with 429, and one before the key is known and the ids are well-formed. Gateways that are not in the contract are counted together, under the policy `general`.
         */
        patch: operations["updateDhwCircuit"];
        trace?: never;
    };
    "/hvacs/{gatewayId}/dhwCircuits/{circuitId}/timePrograms": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the time programs of a hot-water circuit
         * @description List the time programs of a hot-water circuit.
         *
         *     Needs an active contract, its owner in `x-user-id`, and up-to-date consent.
         *
         *     Rate policy `gateway`: 3 requests at once, and one more every 2000 ms, counted per company, operation and path with its ids. Costs one token, also when it then fails; free are a refusal with 429, and one before the key is known and the ids are well-formed. Gateways that are not in the contract are counted together, under the policy `general`.
         */
        get: operations["listDhwTimePrograms"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/hvacs/{gatewayId}/dhwCircuits/{circuitId}/timePrograms/{timeProgramId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a time program of a hot-water circuit
         * @description Read a time program of a hot-water circuit.
         *
         *     Needs an active contract, its owner in `x-user-id`, and up-to-date consent.
         *
         *     Rate policy `gateway`: 3 requests at once, and one more every 2000 ms, counted per company, operation and path with its ids. Costs one token, also when it then fails; free are a refusal with 429, and one before the key is known and the ids are well-formed. Gateways that are not in the contract are counted together, under the policy `general`.
         */
        get: operations["getDhwTimeProgram"];
        /**
         * Request another content of a time program of a hot-water circuit
         * @description Request another content of a time program of a hot-water circuit.
         *
         *     A change is a change: it is stored and visible at once, `pending` until the appliance reports that it has taken it, `confirmed` then. An appliance that is offline takes it later.
         *
         *     Needs an active contract, its owner in `x-user-id`, and up-to-date consent.
         *
         *     Rate policy `time-program`: 1 request at once, and one more every 10000 ms, counted per company, operation and path with its ids. Costs one token, also when it then fails; free are a refusal with 429, and one before the key is known and the ids are well-formed. Gateways that are not in the contract are counted together, under the policy `general`.
         */
        put: operations["updateDhwTimeProgram"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * @example {
         *       "keyId": "f3QnT7wLx0RkVb2Z",
         *       "apiKey": "xHCSAPI_acme_20270115T093000Z_f3QnT7wLx0RkVb2Z_0000000000000000000000000000000000000000000000000",
         *       "createdAt": "2026-07-15T09:30:00Z",
         *       "expiresAt": "2027-01-15T09:30:00Z"
         *     }
         */
        ApiKeyCreated: {
            /** @description Id of an API key: the part of it that is no secret. */
            keyId: string;
            /** @description The whole key. Shown in this answer only; the service keeps a hash of it. */
            apiKey: string;
            /**
             * Format: date-time
             * @description When the key was created, UTC.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description The key is valid before this moment, UTC.
             */
            expiresAt: string;
        };
        /**
         * @example {
         *       "keyId": "f3QnT7wLx0RkVb2Z",
         *       "createdAt": "2026-07-15T09:30:00Z",
         *       "createdByKeyId": null,
         *       "expiresAt": "2027-01-15T09:30:00Z",
         *       "state": "valid",
         *       "lastUsedOn": "2026-11-20",
         *       "inUse": true
         *     }
         */
        ApiKey: {
            /** @description Id of an API key: the part of it that is no secret. */
            keyId: string;
            /**
             * Format: date-time
             * @description When the key was created, UTC.
             */
            createdAt: string;
            /** @description Id of the key that created this one; null for a key that the operator issued. */
            createdByKeyId: string | null;
            /**
             * Format: date-time
             * @description The key is valid before this moment, UTC.
             */
            expiresAt: string;
            /**
             * @description Whether the key has expired; an expired one stays in the list until it is deleted.
             * @enum {string}
             */
            state: "valid" | "expired";
            /**
             * Format: date
             * @description The last day, UTC, on which the key was used; null if it never was.
             */
            lastUsedOn: string | null;
            /** @description True for the key that authenticates this very request; it cannot be deleted with itself. */
            inUse: boolean;
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "keyId": "f3QnT7wLx0RkVb2Z",
         *           "createdAt": "2026-07-15T09:30:00Z",
         *           "createdByKeyId": null,
         *           "expiresAt": "2027-01-15T09:30:00Z",
         *           "state": "valid",
         *           "lastUsedOn": "2026-11-20",
         *           "inUse": true
         *         }
         *       ],
         *       "nextCursor": null
         *     }
         */
        ApiKeyPage: {
            /** @description The items of this page. */
            items: components["schemas"]["ApiKey"][];
            /** @description To be sent as `cursor` for the next page; null on the last. */
            nextCursor: string | null;
        };
        /**
         * @example {
         *       "keyId": "f3QnT7wLx0RkVb2Z",
         *       "expiresAt": "2027-01-15T09:30:00Z"
         *     }
         */
        ApiKeyReference: {
            /** @description Id of an API key: the part of it that is no secret. */
            keyId: string;
            /**
             * Format: date-time
             * @description The key is valid before this moment, UTC.
             */
            expiresAt: string;
        };
        /**
         * @example {
         *       "companyId": "acme",
         *       "keyId": "f3QnT7wLx0RkVb2Z",
         *       "createdAt": "2026-07-15T09:30:00Z",
         *       "expiresAt": "2027-01-15T09:30:00Z",
         *       "sourceIp": "192.0.2.7",
         *       "validKeys": 2,
         *       "maxValidKeys": 10,
         *       "lastValidKeyExpiresAt": "2027-05-20T08:00:00Z"
         *     }
         */
        OwnApiKey: {
            /** @description Id of the company that the key belongs to. */
            companyId: string;
            /** @description Id of an API key: the part of it that is no secret. */
            keyId: string;
            /**
             * Format: date-time
             * @description When the key was created, UTC.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description The key is valid before this moment, UTC.
             */
            expiresAt: string;
            /** @description The address that this request came from. */
            sourceIp: string;
            /** @description Number of keys of the company that have not expired. */
            validKeys: number;
            /** @description Number of valid keys that a company may have: 10. */
            maxValidKeys: number;
            /**
             * Format: date-time
             * @description When the last of the valid keys expires, UTC: from then on only the operator can issue one.
             */
            lastValidKeyExpiresAt: string;
        };
        /**
         * @example {
         *       "companyId": "acme",
         *       "userId": "owner-4711",
         *       "state": "active",
         *       "since": "2026-01-01T00:00:00Z",
         *       "consent": {
         *         "requiredVersion": 3,
         *         "acceptedVersion": 3,
         *         "acceptedAt": "2026-01-02T10:15:00Z",
         *         "upToDate": true,
         *         "portalUrl": "https://portal.example.com/consent"
         *       }
         *     }
         */
        Contract: {
            /** @description Id of the company that the key belongs to. */
            companyId: string;
            /** @description Id of the appliance owner on whose behalf the company acts; to be sent as x-user-id. */
            userId: string;
            /**
             * @description Remote control needs an active contract.
             * @enum {string}
             */
            state: "active" | "suspended" | "ended";
            /**
             * Format: date-time
             * @description When the contract began, UTC.
             */
            since: string;
            /** @description What the owner has consented to. */
            consent: {
                /** @description The consent version that the owner has to have accepted. */
                requiredVersion: number;
                /** @description The consent version that the owner has accepted last; null for none. */
                acceptedVersion: number | null;
                /**
                 * Format: date-time
                 * @description When the owner accepted it, UTC; null for never.
                 */
                acceptedAt: string | null;
                /** @description Whether remote control is covered by the consent. */
                upToDate: boolean;
                /**
                 * Format: uri
                 * @description Where the owner accepts the latest consent version.
                 */
                portalUrl: string;
            };
        };
        /**
         * @example {
         *       "gatewayId": "gw-1001",
         *       "name": "Home",
         *       "type": "heat-pump",
         *       "connectivity": "online",
         *       "lastSeenAt": "2026-11-20T16:30:00Z",
         *       "components": [
         *         {
         *           "componentId": "1",
         *           "type": "heat-pump",
         *           "model": "AW-8",
         *           "serialNumber": "AW8-gw-1001"
         *         },
         *         {
         *           "componentId": "2",
         *           "type": "room-sensor",
         *           "model": "RS-1"
         *         }
         *       ],
         *       "blockedFunctions": [
         *         {
         *           "function": "dhwTimePrograms",
         *           "blockedSince": "2026-11-20T16:00:00Z",
         *           "blockedUntil": "2026-11-20T17:00:00Z"
         *         }
         *       ],
         *       "limits": {
         *         "maxSwitchPoints": 56,
         *         "maxSwitchPointsPerDay": 8,
         *         "switchPointRasterMinutes": 10
         *       }
         *     }
         */
        Gateway: {
            /** @description Id of a gateway, the appliance’s connection to the service. */
            gatewayId: string;
            /** @description Name of the gateway, as its owner sees it. */
            name: string;
            /** @description Kind of gateway. */
            type: string;
            /**
             * @description Whether the gateway can be reached now. In the answer to a change: whether the change can be taken now.
             * @enum {string}
             */
            connectivity: "online" | "offline";
            /**
             * Format: date-time
             * @description When the gateway last reported, UTC.
             */
            lastSeenAt: string;
            /** @description What the appliance is made of. */
            components: {
                /** @description Id of a component within its gateway. */
                componentId: string;
                /** @description Kind of component. */
                type: string;
                /** @description Model of the component. */
                model: string;
                /** @description Serial number of the component; absent where it has none. */
                serialNumber?: string;
            }[];
            /** @description What the appliance blocks for a while to protect itself; changes are refused as long. */
            blockedFunctions: {
                /**
                 * @description What is blocked: changes of circuits or of time programs, of heating or of hot water (dhw).
                 * @enum {string}
                 */
                function: "heatingCircuits" | "heatingTimePrograms" | "dhwCircuits" | "dhwTimePrograms";
                /**
                 * Format: date-time
                 * @description When the appliance began to block, UTC.
                 */
                blockedSince: string;
                /**
                 * Format: date-time
                 * @description When the appliance will take changes again, UTC; null where it does not know.
                 */
                blockedUntil: string | null;
            }[];
            /** @description What a time program of the appliance can hold. */
            limits: {
                /** @description Number of switch points in a time program, at most. */
                maxSwitchPoints: number;
                /** @description Number of switch points on one day of the week, at most. */
                maxSwitchPointsPerDay: number;
                /** @description The time of a switch point is a multiple of so many minutes. */
                switchPointRasterMinutes: number;
            };
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "gatewayId": "gw-1001",
         *           "name": "Home",
         *           "type": "heat-pump",
         *           "connectivity": "online",
         *           "lastSeenAt": "2026-11-20T16:30:00Z",
         *           "components": [
         *             {
         *               "componentId": "1",
         *               "type": "heat-pump",
         *               "model": "AW-8",
         *               "serialNumber": "AW8-gw-1001"
         *             },
         *             {
         *               "componentId": "2",
         *               "type": "room-sensor",
         *               "model": "RS-1"
         *             }
         *           ],
         *           "blockedFunctions": [
         *             {
         *               "function": "dhwTimePrograms",
         *               "blockedSince": "2026-11-20T16:00:00Z",
         *               "blockedUntil": "2026-11-20T17:00:00Z"
         *             }
         *           ],
         *           "limits": {
         *             "maxSwitchPoints": 56,
         *             "maxSwitchPointsPerDay": 8,
         *             "switchPointRasterMinutes": 10
         *           }
         *         }
         *       ],
         *       "nextCursor": null
         *     }
         */
        GatewayPage: {
            /** @description The items of this page. */
            items: components["schemas"]["Gateway"][];
            /** @description To be sent as `cursor` for the next page; null on the last. */
            nextCursor: string | null;
        };
        /**
         * @example {
         *       "gatewayId": "gw-1001",
         *       "circuitId": "hc1",
         *       "operationMode": "auto",
         *       "roomSetpointCelsius": 21.5,
         *       "activeTimeProgramId": "1",
         *       "roomTemperatureCelsius": 20.9,
         *       "supplyTemperatureCelsius": 34.2,
         *       "state": "confirmed",
         *       "version": 7,
         *       "reportedAt": "2026-11-20T16:30:00Z"
         *     }
         */
        HeatingCircuit: {
            /** @description Id of a gateway, the appliance’s connection to the service. */
            gatewayId: string;
            /** @description Id of a circuit within its gateway and kind. */
            circuitId: string;
            /**
             * @description How the circuit is run; `auto` follows its active time program.
             * @enum {string}
             */
            operationMode: "auto" | "manual" | "off";
            /** @description Desired room temperature in degrees Celsius. */
            roomSetpointCelsius: number;
            /** @description Id of the time program that the circuit follows. */
            activeTimeProgramId: string;
            /** @description Measured room temperature in degrees Celsius; null where the sensor is open or short. */
            roomTemperatureCelsius: number | null;
            /** @description Measured temperature of the water that flows to the radiators in degrees Celsius; null where the sensor is open or short. */
            supplyTemperatureCelsius: number | null;
            /**
             * @description `pending` from a change until the appliance reports that it has taken it, `confirmed` then.
             * @enum {string}
             */
            state: "confirmed" | "pending";
            /** @description Grows with every change, not with what is reported; the ETag holds it. */
            version: number;
            /**
             * Format: date-time
             * @description When the appliance last reported, UTC.
             */
            reportedAt: string;
            /**
             * @description Whether the gateway can be reached now. In the answer to a change: whether the change can be taken now.
             * @enum {string}
             */
            connectivity?: "online" | "offline";
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "gatewayId": "gw-1001",
         *           "circuitId": "hc1",
         *           "operationMode": "auto",
         *           "roomSetpointCelsius": 21.5,
         *           "activeTimeProgramId": "1",
         *           "roomTemperatureCelsius": 20.9,
         *           "supplyTemperatureCelsius": 34.2,
         *           "state": "confirmed",
         *           "version": 7,
         *           "reportedAt": "2026-11-20T16:30:00Z"
         *         }
         *       ],
         *       "nextCursor": null
         *     }
         */
        HeatingCircuitPage: {
            /** @description The items of this page. */
            items: components["schemas"]["HeatingCircuit"][];
            /** @description To be sent as `cursor` for the next page; null on the last. */
            nextCursor: string | null;
        };
        /**
         * @example {
         *       "timeProgramId": "1",
         *       "name": "Long evenings",
         *       "switchPoints": [
         *         {
         *           "dayOfWeek": "friday",
         *           "time": "06:30",
         *           "setpoint": "comfort"
         *         },
         *         {
         *           "dayOfWeek": "friday",
         *           "time": "22:00",
         *           "setpoint": "eco"
         *         }
         *       ],
         *       "state": "confirmed",
         *       "version": 7,
         *       "reportedAt": "2026-11-20T16:30:00Z"
         *     }
         */
        HeatingTimeProgram: {
            /** @description Id of a time program within its circuit. */
            timeProgramId: string;
            /** @description Name of the time program: 1 to 60 characters, none of them a control character. */
            name: string;
            /** @description What is set when, each week anew. At most one point per day and time; the limits are the gateway’s. */
            switchPoints: {
                /**
                 * @description Day of the week at the appliance.
                 * @enum {string}
                 */
                dayOfWeek: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday";
                /** @description Time of day as HH:mm, the appliance’s local time, on the raster of the gateway. */
                time: string;
                /**
                 * @description Level from this time on, until the next switch point.
                 * @enum {string}
                 */
                setpoint: "eco" | "comfort" | "off";
            }[];
            /**
             * @description `pending` from a change until the appliance reports that it has taken it, `confirmed` then.
             * @enum {string}
             */
            state: "confirmed" | "pending";
            /** @description Grows with every change, not with what is reported; the ETag holds it. */
            version: number;
            /**
             * Format: date-time
             * @description When the appliance last reported, UTC.
             */
            reportedAt: string;
            /**
             * @description Whether the gateway can be reached now. In the answer to a change: whether the change can be taken now.
             * @enum {string}
             */
            connectivity?: "online" | "offline";
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "timeProgramId": "1",
         *           "name": "Long evenings",
         *           "switchPoints": [
         *             {
         *               "dayOfWeek": "friday",
         *               "time": "06:30",
         *               "setpoint": "comfort"
         *             },
         *             {
         *               "dayOfWeek": "friday",
         *               "time": "22:00",
         *               "setpoint": "eco"
         *             }
         *           ],
         *           "state": "confirmed",
         *           "version": 7,
         *           "reportedAt": "2026-11-20T16:30:00Z"
         *         }
         *       ],
         *       "nextCursor": null
         *     }
         */
        HeatingTimeProgramPage: {
            /** @description The items of this page. */
            items: components["schemas"]["HeatingTimeProgram"][];
            /** @description To be sent as `cursor` for the next page; null on the last. */
            nextCursor: string | null;
        };
        /**
         * @example {
         *       "gatewayId": "gw-1001",
         *       "circuitId": "dhw1",
         *       "operationMode": "comfort",
         *       "waterSetpointCelsius": 52,
         *       "activeTimeProgramId": "1",
         *       "waterTemperatureCelsius": 49.8,
         *       "state": "confirmed",
         *       "version": 7,
         *       "reportedAt": "2026-11-20T16:30:00Z"
         *     }
         */
        DhwCircuit: {
            /** @description Id of a gateway, the appliance’s connection to the service. */
            gatewayId: string;
            /** @description Id of a circuit within its gateway and kind. */
            circuitId: string;
            /**
             * @description How the circuit is run; `auto` follows its active time program.
             * @enum {string}
             */
            operationMode: "off" | "eco" | "comfort" | "auto";
            /** @description Desired hot-water temperature in degrees Celsius. */
            waterSetpointCelsius: number;
            /** @description Id of the time program that the circuit follows. */
            activeTimeProgramId: string;
            /** @description Measured hot-water temperature in degrees Celsius; null where the sensor is open or short. */
            waterTemperatureCelsius: number | null;
            /**
             * @description `pending` from a change until the appliance reports that it has taken it, `confirmed` then.
             * @enum {string}
             */
            state: "confirmed" | "pending";
            /** @description Grows with every change, not with what is reported; the ETag holds it. */
            version: number;
            /**
             * Format: date-time
             * @description When the appliance last reported, UTC.
             */
            reportedAt: string;
            /**
             * @description Whether the gateway can be reached now. In the answer to a change: whether the change can be taken now.
             * @enum {string}
             */
            connectivity?: "online" | "offline";
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "gatewayId": "gw-1001",
         *           "circuitId": "dhw1",
         *           "operationMode": "comfort",
         *           "waterSetpointCelsius": 52,
         *           "activeTimeProgramId": "1",
         *           "waterTemperatureCelsius": 49.8,
         *           "state": "confirmed",
         *           "version": 7,
         *           "reportedAt": "2026-11-20T16:30:00Z"
         *         }
         *       ],
         *       "nextCursor": null
         *     }
         */
        DhwCircuitPage: {
            /** @description The items of this page. */
            items: components["schemas"]["DhwCircuit"][];
            /** @description To be sent as `cursor` for the next page; null on the last. */
            nextCursor: string | null;
        };
        /**
         * @example {
         *       "timeProgramId": "1",
         *       "name": "Long evenings",
         *       "switchPoints": [
         *         {
         *           "dayOfWeek": "friday",
         *           "time": "06:30",
         *           "setpoint": "comfort"
         *         },
         *         {
         *           "dayOfWeek": "friday",
         *           "time": "22:00",
         *           "setpoint": "eco"
         *         }
         *       ],
         *       "state": "confirmed",
         *       "version": 7,
         *       "reportedAt": "2026-11-20T16:30:00Z"
         *     }
         */
        DhwTimeProgram: {
            /** @description Id of a time program within its circuit. */
            timeProgramId: string;
            /** @description Name of the time program: 1 to 60 characters, none of them a control character. */
            name: string;
            /** @description What is set when, each week anew. At most one point per day and time; the limits are the gateway’s. */
            switchPoints: {
                /**
                 * @description Day of the week at the appliance.
                 * @enum {string}
                 */
                dayOfWeek: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday";
                /** @description Time of day as HH:mm, the appliance’s local time, on the raster of the gateway. */
                time: string;
                /**
                 * @description Level from this time on, until the next switch point.
                 * @enum {string}
                 */
                setpoint: "off" | "eco" | "comfort";
            }[];
            /**
             * @description `pending` from a change until the appliance reports that it has taken it, `confirmed` then.
             * @enum {string}
             */
            state: "confirmed" | "pending";
            /** @description Grows with every change, not with what is reported; the ETag holds it. */
            version: number;
            /**
             * Format: date-time
             * @description When the appliance last reported, UTC.
             */
            reportedAt: string;
            /**
             * @description Whether the gateway can be reached now. In the answer to a change: whether the change can be taken now.
             * @enum {string}
             */
            connectivity?: "online" | "offline";
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "timeProgramId": "1",
         *           "name": "Long evenings",
         *           "switchPoints": [
         *             {
         *               "dayOfWeek": "friday",
         *               "time": "06:30",
         *               "setpoint": "comfort"
         *             },
         *             {
         *               "dayOfWeek": "friday",
         *               "time": "22:00",
         *               "setpoint": "eco"
         *             }
         *           ],
         *           "state": "confirmed",
         *           "version": 7,
         *           "reportedAt": "2026-11-20T16:30:00Z"
         *         }
         *       ],
         *       "nextCursor": null
         *     }
         */
        DhwTimeProgramPage: {
            /** @description The items of this page. */
            items: components["schemas"]["DhwTimeProgram"][];
            /** @description To be sent as `cursor` for the next page; null on the last. */
            nextCursor: string | null;
        };
        /**
         * @example {
         *       "operationMode": "auto",
         *       "roomSetpointCelsius": 22
         *     }
         */
        HeatingCircuitUpdate: {
            /**
             * @description How the circuit is run; `auto` follows its active time program.
             * @enum {string}
             */
            operationMode?: "auto" | "manual" | "off";
            /** @description Desired room temperature in degrees Celsius. */
            roomSetpointCelsius?: number;
            /** @description Id of the time program that the circuit follows. */
            activeTimeProgramId?: string;
        };
        /**
         * @example {
         *       "name": "Long evenings",
         *       "switchPoints": [
         *         {
         *           "dayOfWeek": "friday",
         *           "time": "06:30",
         *           "setpoint": "comfort"
         *         },
         *         {
         *           "dayOfWeek": "friday",
         *           "time": "22:00",
         *           "setpoint": "eco"
         *         }
         *       ]
         *     }
         */
        HeatingTimeProgramUpdate: {
            /** @description Name of the time program: 1 to 60 characters, none of them a control character. */
            name: string;
            /** @description What is set when, each week anew. At most one point per day and time; the limits are the gateway’s. */
            switchPoints: {
                /**
                 * @description Day of the week at the appliance.
                 * @enum {string}
                 */
                dayOfWeek: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday";
                /** @description Time of day as HH:mm, the appliance’s local time, on the raster of the gateway. */
                time: string;
                /**
                 * @description Level from this time on, until the next switch point.
                 * @enum {string}
                 */
                setpoint: "eco" | "comfort" | "off";
            }[];
        };
        /**
         * @example {
         *       "waterSetpointCelsius": 55
         *     }
         */
        DhwCircuitUpdate: {
            /**
             * @description How the circuit is run; `auto` follows its active time program.
             * @enum {string}
             */
            operationMode?: "off" | "eco" | "comfort" | "auto";
            /** @description Desired hot-water temperature in degrees Celsius. */
            waterSetpointCelsius?: number;
            /** @description Id of the time program that the circuit follows. */
            activeTimeProgramId?: string;
        };
        /**
         * @example {
         *       "name": "Long evenings",
         *       "switchPoints": [
         *         {
         *           "dayOfWeek": "friday",
         *           "time": "06:30",
         *           "setpoint": "comfort"
         *         },
         *         {
         *           "dayOfWeek": "friday",
         *           "time": "22:00",
         *           "setpoint": "eco"
         *         }
         *       ]
         *     }
         */
        DhwTimeProgramUpdate: {
            /** @description Name of the time program: 1 to 60 characters, none of them a control character. */
            name: string;
            /** @description What is set when, each week anew. At most one point per day and time; the limits are the gateway’s. */
            switchPoints: {
                /**
                 * @description Day of the week at the appliance.
                 * @enum {string}
                 */
                dayOfWeek: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday";
                /** @description Time of day as HH:mm, the appliance’s local time, on the raster of the gateway. */
                time: string;
                /**
                 * @description Level from this time on, until the next switch point.
                 * @enum {string}
                 */
                setpoint: "off" | "eco" | "comfort";
            }[];
        };
        InvalidRequestProblem: {
            /**
             * @description URI of the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:invalid-request";
            /** @description What happened, the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 400;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, to be told apart by programs. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "invalid-request";
            /** @description Id of the request, as in x-request-id; name it to the operator. */
            requestId: string;
            /** @description What is wrong in the request, up to 50 faults. */
            errors: {
                /** @description JSON pointer to what is wrong, from /path, /query, /header or /body on. */
                pointer: string;
                /** @description What was expected there. */
                detail: string;
            }[];
        };
        UserIdMissingProblem: {
            /**
             * @description URI of the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:user-id-missing";
            /** @description What happened, the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 400;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, to be told apart by programs. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "user-id-missing";
            /** @description Id of the request, as in x-request-id; name it to the operator. */
            requestId: string;
        };
        ApiKeyMissingProblem: {
            /**
             * @description URI of the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:api-key-missing";
            /** @description What happened, the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 401;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, to be told apart by programs. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "api-key-missing";
            /** @description Id of the request, as in x-request-id; name it to the operator. */
            requestId: string;
        };
        ApiKeyInvalidProblem: {
            /**
             * @description URI of the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:api-key-invalid";
            /** @description What happened, the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 401;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, to be told apart by programs. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "api-key-invalid";
            /** @description Id of the request, as in x-request-id; name it to the operator. */
            requestId: string;
        };
        ApiKeyExpiredProblem: {
            /**
             * @description URI of the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:api-key-expired";
            /** @description What happened, the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 401;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, to be told apart by programs. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "api-key-expired";
            /** @description Id of the request, as in x-request-id; name it to the operator. */
            requestId: string;
        };
        SourceAddressNotAllowedProblem: {
            /**
             * @description URI of the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:source-address-not-allowed";
            /** @description What happened, the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 403;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, to be told apart by programs. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "source-address-not-allowed";
            /** @description Id of the request, as in x-request-id; name it to the operator. */
            requestId: string;
        };
        CompanySuspendedProblem: {
            /**
             * @description URI of the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:company-suspended";
            /** @description What happened, the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 403;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, to be told apart by programs. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "company-suspended";
            /** @description Id of the request, as in x-request-id; name it to the operator. */
            requestId: string;
        };
        ContractNotActiveProblem: {
            /**
             * @description URI of the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:contract-not-active";
            /** @description What happened, the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 403;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, to be told apart by programs. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "contract-not-active";
            /** @description Id of the request, as in x-request-id; name it to the operator. */
            requestId: string;
        };
        UserIdMismatchProblem: {
            /**
             * @description URI of the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:user-id-mismatch";
            /** @description What happened, the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 403;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, to be told apart by programs. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "user-id-mismatch";
            /** @description Id of the request, as in x-request-id; name it to the operator. */
            requestId: string;
        };
        GatewayNotInContractProblem: {
            /**
             * @description URI of the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:gateway-not-in-contract";
            /** @description What happened, the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 403;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, to be told apart by programs. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "gateway-not-in-contract";
            /** @description Id of the request, as in x-request-id; name it to the operator. */
            requestId: string;
        };
        ConsentOutdatedProblem: {
            /**
             * @description URI of the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:consent-outdated";
            /** @description What happened, the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 451;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, to be told apart by programs.
             * @constant
             */
            code: "consent-outdated";
            /** @description Id of the request, as in x-request-id; name it to the operator. */
            requestId: string;
            /** @description The consent version that the owner has to accept. */
            requiredConsentVersion: number;
            /** @description The consent version that the owner has accepted last; null for none. */
            acceptedConsentVersion: number | null;
            /**
             * Format: uri
             * @description Where the owner accepts the latest consent version.
             */
            portalUrl: string;
        };
        RouteNotFoundProblem: {
            /**
             * @description URI of the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:route-not-found";
            /** @description What happened, the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 404;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, to be told apart by programs.
             * @constant
             */
            code: "route-not-found";
            /** @description Id of the request, as in x-request-id; name it to the operator. */
            requestId: string;
        };
        ApiKeyNotFoundProblem: {
            /**
             * @description URI of the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:api-key-not-found";
            /** @description What happened, the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 404;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, to be told apart by programs. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "api-key-not-found";
            /** @description Id of the request, as in x-request-id; name it to the operator. */
            requestId: string;
        };
        ContractNotFoundProblem: {
            /**
             * @description URI of the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:contract-not-found";
            /** @description What happened, the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 404;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, to be told apart by programs. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "contract-not-found";
            /** @description Id of the request, as in x-request-id; name it to the operator. */
            requestId: string;
        };
        CircuitNotFoundProblem: {
            /**
             * @description URI of the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:circuit-not-found";
            /** @description What happened, the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 404;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, to be told apart by programs. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "circuit-not-found";
            /** @description Id of the request, as in x-request-id; name it to the operator. */
            requestId: string;
        };
        TimeProgramNotFoundProblem: {
            /**
             * @description URI of the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:time-program-not-found";
            /** @description What happened, the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 404;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, to be told apart by programs. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "time-program-not-found";
            /** @description Id of the request, as in x-request-id; name it to the operator. */
            requestId: string;
        };
        ApiKeyLimitReachedProblem: {
            /**
             * @description URI of the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:api-key-limit-reached";
            /** @description What happened, the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 409;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, to be told apart by programs. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "api-key-limit-reached";
            /** @description Id of the request, as in x-request-id; name it to the operator. */
            requestId: string;
            /** @description The valid keys of the company. */
            validKeys: components["schemas"]["ApiKeyReference"][];
            /** @description Number of valid keys that a company may have: 10. */
            maxValidKeys: number;
        };
        IdempotencyKeySpentProblem: {
            /**
             * @description URI of the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:idempotency-key-spent";
            /** @description What happened, the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 409;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, to be told apart by programs. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "idempotency-key-spent";
            /** @description Id of the request, as in x-request-id; name it to the operator. */
            requestId: string;
        };
        ApiKeyInUseProblem: {
            /**
             * @description URI of the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:api-key-in-use";
            /** @description What happened, the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 409;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, to be told apart by programs.
             * @constant
             */
            code: "api-key-in-use";
            /** @description Id of the request, as in x-request-id; name it to the operator. */
            requestId: string;
        };
        ApplianceFunctionBlockedProblem: {
            /**
             * @description URI of the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:appliance-function-blocked";
            /** @description What happened, the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 409;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, to be told apart by programs.
             * @constant
             */
            code: "appliance-function-blocked";
            /** @description Id of the request, as in x-request-id; name it to the operator. */
            requestId: string;
            /**
             * @description What is blocked: changes of circuits or of time programs, of heating or of hot water (dhw).
             * @enum {string}
             */
            function: "heatingCircuits" | "heatingTimePrograms" | "dhwCircuits" | "dhwTimePrograms";
            /**
             * Format: date-time
             * @description When the appliance began to block, UTC.
             */
            blockedSince: string;
            /**
             * Format: date-time
             * @description When the appliance will take changes again, UTC; null where it does not know.
             */
            blockedUntil: string | null;
        };
        PreconditionFailedProblem: {
            /**
             * @description URI of the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:precondition-failed";
            /** @description What happened, the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 412;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, to be told apart by programs.
             * @constant
             */
            code: "precondition-failed";
            /** @description Id of the request, as in x-request-id; name it to the operator. */
            requestId: string;
        };
        BodyTooLargeProblem: {
            /**
             * @description URI of the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:body-too-large";
            /** @description What happened, the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 413;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, to be told apart by programs.
             * @constant
             */
            code: "body-too-large";
            /** @description Id of the request, as in x-request-id; name it to the operator. */
            requestId: string;
        };
        UnsupportedMediaTypeProblem: {
            /**
             * @description URI of the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:unsupported-media-type";
            /** @description What happened, the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 415;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, to be told apart by programs.
             * @constant
             */
            code: "unsupported-media-type";
            /** @description Id of the request, as in x-request-id; name it to the operator. */
            requestId: string;
        };
        RateLimitExceededProblem: {
            /**
             * @description URI of the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:rate-limit-exceeded";
            /** @description What happened, the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 429;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, to be told apart by programs. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "rate-limit-exceeded";
            /** @description Id of the request, as in x-request-id; name it to the operator. */
            requestId: string;
            /** @description The rate policy that refused. */
            policy: string;
            /** @description What the requests are counted for. */
            counter: {
                /** @description All keys of the company share the counter. */
                companyId: string;
                /** @description The gateway in the path; absent where there is none. */
                gatewayId?: string;
                /** @description The operation that is counted. */
                endpoint: string;
                /** @description The path that is counted, with its ids, without its query. */
                path: string;
            };
            /** @description The numbers of the rate policy. */
            limit: {
                /** @description Number of requests that an unused counter admits at once. */
                burst: number;
                /** @description Milliseconds from one token to the next. */
                refillIntervalMs: number;
            };
            /** @description Milliseconds until the next token. Retry-After is the same in whole seconds, rounded up. */
            retryAfterMs: number;
        };
        ThrottledProblem: {
            /**
             * @description URI of the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:throttled";
            /** @description What happened, the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 429;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, to be told apart by programs. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "throttled";
            /** @description Id of the request, as in x-request-id; name it to the operator. */
            requestId: string;
        };
        InternalErrorProblem: {
            /**
             * @description URI of the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:internal-error";
            /** @description What happened, the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 500;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, to be told apart by programs.
             * @constant
             */
            code: "internal-error";
            /** @description Id of the request, as in x-request-id; name it to the operator. */
            requestId: string;
        };
        ServiceUnavailableProblem: {
            /**
             * @description URI of the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:service-unavailable";
            /** @description What happened, the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 503;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, to be told apart by programs.
             * @constant
             */
            code: "service-unavailable";
            /** @description Id of the request, as in x-request-id; name it to the operator. */
            requestId: string;
        };
    };
    responses: {
        /** @description `invalid-request`: The request is not well-formed. */
        "invalid-request": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "x-api-version": components["headers"]["x-api-version"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "x-api-key-expires-at": components["headers"]["x-api-key-expires-at-optional"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy-optional"];
                RateLimit: components["headers"]["RateLimit-optional"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["InvalidRequestProblem"];
            };
        };
        /**
         * @description `api-key-missing`: The API key is missing.
         *
         *     `api-key-invalid`: The API key is not valid.
         *
         *     `api-key-expired`: The API key has expired.
         */
        "api-key-missing.api-key-invalid.api-key-expired": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "x-api-version": components["headers"]["x-api-version"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "x-api-key-expires-at": components["headers"]["x-api-key-expires-at-optional"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy-optional"];
                RateLimit: components["headers"]["RateLimit-optional"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate-optional"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["ApiKeyMissingProblem"] | components["schemas"]["ApiKeyInvalidProblem"] | components["schemas"]["ApiKeyExpiredProblem"];
            };
        };
        /**
         * @description `source-address-not-allowed`: The source address is not allowed.
         *
         *     `company-suspended`: The company is suspended.
         */
        "source-address-not-allowed.company-suspended": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "x-api-version": components["headers"]["x-api-version"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "x-api-key-expires-at": components["headers"]["x-api-key-expires-at-optional"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy-optional"];
                RateLimit: components["headers"]["RateLimit-optional"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["SourceAddressNotAllowedProblem"] | components["schemas"]["CompanySuspendedProblem"];
            };
        };
        /** @description `contract-not-found`: There is no contract. */
        "contract-not-found": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "x-api-version": components["headers"]["x-api-version"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "x-api-key-expires-at": components["headers"]["x-api-key-expires-at-optional"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy-optional"];
                RateLimit: components["headers"]["RateLimit-optional"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["ContractNotFoundProblem"];
            };
        };
        /**
         * @description `api-key-limit-reached`: The company has as many valid keys as it may have.
         *
         *     `idempotency-key-spent`: The API key that this Idempotency-Key created was deleted.
         */
        "api-key-limit-reached.idempotency-key-spent": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "x-api-version": components["headers"]["x-api-version"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "x-api-key-expires-at": components["headers"]["x-api-key-expires-at-optional"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy-optional"];
                RateLimit: components["headers"]["RateLimit-optional"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["ApiKeyLimitReachedProblem"] | components["schemas"]["IdempotencyKeySpentProblem"];
            };
        };
        /** @description `body-too-large`: The body is too large. */
        "body-too-large": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "x-api-version": components["headers"]["x-api-version"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "x-api-key-expires-at": components["headers"]["x-api-key-expires-at-optional"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy-optional"];
                RateLimit: components["headers"]["RateLimit-optional"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["BodyTooLargeProblem"];
            };
        };
        /**
         * @description `rate-limit-exceeded`: The rate limit is exhausted.
         *
         *     `throttled`: The service as a whole receives too many requests.
         */
        "rate-limit-exceeded.throttled": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "x-api-version": components["headers"]["x-api-version"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "x-api-key-expires-at": components["headers"]["x-api-key-expires-at-optional"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy-optional"];
                RateLimit: components["headers"]["RateLimit-optional"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["RateLimitExceededProblem"] | components["schemas"]["ThrottledProblem"];
            };
        };
        /** @description `internal-error`: The service failed. */
        "internal-error": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "x-api-version": components["headers"]["x-api-version"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "x-api-key-expires-at": components["headers"]["x-api-key-expires-at-optional"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy-optional"];
                RateLimit: components["headers"]["RateLimit-optional"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["InternalErrorProblem"];
            };
        };
        /** @description `service-unavailable`: The service is not available right now. */
        "service-unavailable": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "x-api-version": components["headers"]["x-api-version"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "x-api-key-expires-at": components["headers"]["x-api-key-expires-at-optional"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy-optional"];
                RateLimit: components["headers"]["RateLimit-optional"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["ServiceUnavailableProblem"];
            };
        };
        /**
         * @description `api-key-not-found`: There is no such API key.
         *
         *     `contract-not-found`: There is no contract.
         */
        "api-key-not-found.contract-not-found": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "x-api-version": components["headers"]["x-api-version"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "x-api-key-expires-at": components["headers"]["x-api-key-expires-at-optional"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy-optional"];
                RateLimit: components["headers"]["RateLimit-optional"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["ApiKeyNotFoundProblem"] | components["schemas"]["ContractNotFoundProblem"];
            };
        };
        /** @description `api-key-in-use`: The key to delete authenticates this request. */
        "api-key-in-use": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "x-api-version": components["headers"]["x-api-version"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "x-api-key-expires-at": components["headers"]["x-api-key-expires-at-optional"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy-optional"];
                RateLimit: components["headers"]["RateLimit-optional"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["ApiKeyInUseProblem"];
            };
        };
        /**
         * @description `invalid-request`: The request is not well-formed.
         *
         *     `user-id-missing`: The user id is missing.
         */
        "invalid-request.user-id-missing": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "x-api-version": components["headers"]["x-api-version"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "x-api-key-expires-at": components["headers"]["x-api-key-expires-at-optional"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy-optional"];
                RateLimit: components["headers"]["RateLimit-optional"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["InvalidRequestProblem"] | components["schemas"]["UserIdMissingProblem"];
            };
        };
        /**
         * @description `source-address-not-allowed`: The source address is not allowed.
         *
         *     `company-suspended`: The company is suspended.
         *
         *     `contract-not-active`: The contract is not active.
         *
         *     `user-id-mismatch`: The user id is not the one in the contract.
         */
        "source-address-not-allowed.company-suspended.contract-not-active.user-id-mismatch": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "x-api-version": components["headers"]["x-api-version"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "x-api-key-expires-at": components["headers"]["x-api-key-expires-at-optional"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy-optional"];
                RateLimit: components["headers"]["RateLimit-optional"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["SourceAddressNotAllowedProblem"] | components["schemas"]["CompanySuspendedProblem"] | components["schemas"]["ContractNotActiveProblem"] | components["schemas"]["UserIdMismatchProblem"];
            };
        };
        /** @description `consent-outdated`: The owner has not accepted the latest consent. */
        "consent-outdated": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "x-api-version": components["headers"]["x-api-version"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "x-api-key-expires-at": components["headers"]["x-api-key-expires-at-optional"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy-optional"];
                RateLimit: components["headers"]["RateLimit-optional"];
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["ConsentOutdatedProblem"];
            };
        };
        /**
         * @description `source-address-not-allowed`: The source address is not allowed.
         *
         *     `company-suspended`: The company is suspended.
         *
         *     `contract-not-active`: The contract is not active.
         *
         *     `user-id-mismatch`: The user id is not the one in the contract.
         *
         *     `gateway-not-in-contract`: The gateway is not in the contract.
         */
        "source-address-not-allowed.company-suspended.contract-not-active.user-id-mismatch.gateway-not-in-contract": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "x-api-version": components["headers"]["x-api-version"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "x-api-key-expires-at": components["headers"]["x-api-key-expires-at-optional"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy-optional"];
                RateLimit: components["headers"]["RateLimit-optional"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["SourceAddressNotAllowedProblem"] | components["schemas"]["CompanySuspendedProblem"] | components["schemas"]["ContractNotActiveProblem"] | components["schemas"]["UserIdMismatchProblem"] | components["schemas"]["GatewayNotInContractProblem"];
            };
        };
        /**
         * @description `contract-not-found`: There is no contract.
         *
         *     `circuit-not-found`: There is no such circuit.
         */
        "contract-not-found.circuit-not-found": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "x-api-version": components["headers"]["x-api-version"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "x-api-key-expires-at": components["headers"]["x-api-key-expires-at-optional"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy-optional"];
                RateLimit: components["headers"]["RateLimit-optional"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["ContractNotFoundProblem"] | components["schemas"]["CircuitNotFoundProblem"];
            };
        };
        /** @description `appliance-function-blocked`: The appliance blocks this function to protect itself. */
        "appliance-function-blocked": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "x-api-version": components["headers"]["x-api-version"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "x-api-key-expires-at": components["headers"]["x-api-key-expires-at-optional"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy-optional"];
                RateLimit: components["headers"]["RateLimit-optional"];
                "Retry-After": components["headers"]["Retry-After-optional"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["ApplianceFunctionBlockedProblem"];
            };
        };
        /** @description `precondition-failed`: It has changed since you read it. */
        "precondition-failed": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "x-api-version": components["headers"]["x-api-version"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "x-api-key-expires-at": components["headers"]["x-api-key-expires-at-optional"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy-optional"];
                RateLimit: components["headers"]["RateLimit-optional"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["PreconditionFailedProblem"];
            };
        };
        /** @description `unsupported-media-type`: The media type is not supported. */
        "unsupported-media-type": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "x-api-version": components["headers"]["x-api-version"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "x-api-key-expires-at": components["headers"]["x-api-key-expires-at-optional"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy-optional"];
                RateLimit: components["headers"]["RateLimit-optional"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
            };
        };
        /**
         * @description `contract-not-found`: There is no contract.
         *
         *     `circuit-not-found`: There is no such circuit.
         *
         *     `time-program-not-found`: There is no such time program.
         */
        "contract-not-found.circuit-not-found.time-program-not-found": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "x-api-version": components["headers"]["x-api-version"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "x-api-key-expires-at": components["headers"]["x-api-key-expires-at-optional"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy-optional"];
                RateLimit: components["headers"]["RateLimit-optional"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["ContractNotFoundProblem"] | components["schemas"]["CircuitNotFoundProblem"] | components["schemas"]["TimeProgramNotFoundProblem"];
            };
        };
        /** @description `route-not-found`: There is no such operation. */
        "route-not-found": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "x-api-version": components["headers"]["x-api-version"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "x-api-key-expires-at": components["headers"]["x-api-key-expires-at-optional"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy-optional"];
                RateLimit: components["headers"]["RateLimit-optional"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["RouteNotFoundProblem"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description Id of the request; name it to the operator. */
        "x-request-id": string;
        /** @description Version of the API; the minor grows with every additive change. */
        "x-api-version": string;
        /** @description No answer may be kept. */
        "Cache-Control": "no-store";
        /** @description When the key in use expires, UTC. In every answer to an authenticated request. */
        "x-api-key-expires-at": string;
        /** @description When the key in use expires, UTC. In every answer to an authenticated request. */
        "x-api-key-expires-at-optional": string;
        /** @description The rate policy that counts the request: q requests at once, w seconds until an empty bucket is full. In every answer to an authenticated request. */
        "RateLimit-Policy": string;
        /** @description The rate policy that counts the request: q requests at once, w seconds until an empty bucket is full. In every answer to an authenticated request. */
        "RateLimit-Policy-optional": string;
        /** @description Where its counter stands: r requests are left now, one more comes in t seconds. In every answer to an authenticated request. */
        RateLimit: string;
        /** @description Where its counter stands: r requests are left now, one more comes in t seconds. In every answer to an authenticated request. */
        "RateLimit-optional": string;
        /** @description The version that is answered, to be sent as If-Match with a change. */
        ETag: string;
        /** @description Path of what was created. */
        Location: string;
        /** @description Whole seconds, at least 1, after which the request is not refused for the same cause again. Absent where nobody knows. */
        "Retry-After": number;
        /** @description Whole seconds, at least 1, after which the request is not refused for the same cause again. Absent where nobody knows. */
        "Retry-After-optional": number;
        /** @description How to authenticate. API Gateway may send it as x-amzn-remapped-www-authenticate. */
        "WWW-Authenticate-optional": "ApiKey realm=\"partner-api\"";
        /** @description Where the owner accepts the latest consent version. */
        Link: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listApiKeys: {
        parameters: {
            query?: {
                /** @description Number of items on a page, 50 if absent. */
                limit?: number;
                /** @description The `nextCursor` of the page before, unchanged. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As it is now. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-api-version": components["headers"]["x-api-version"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "x-api-key-expires-at": components["headers"]["x-api-key-expires-at"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyPage"];
                };
            };
            400: components["responses"]["invalid-request"];
            401: components["responses"]["api-key-missing.api-key-invalid.api-key-expired"];
            403: components["responses"]["source-address-not-allowed.company-suspended"];
            404: components["responses"]["contract-not-found"];
            413: components["responses"]["body-too-large"];
            429: components["responses"]["rate-limit-exceeded.throttled"];
            500: components["responses"]["internal-error"];
            503: components["responses"]["service-unavailable"];
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description One value of 1 to 255 visible ASCII characters, in quotes or bare; a UUID, say: `"c2f1f7a4-7890-4408-832d-9ad5cf52ce26"`. A repeat with the same value and the same API key within 24 hours gives the same answer again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-api-version": components["headers"]["x-api-version"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "x-api-key-expires-at": components["headers"]["x-api-key-expires-at"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyCreated"];
                };
            };
            400: components["responses"]["invalid-request"];
            401: components["responses"]["api-key-missing.api-key-invalid.api-key-expired"];
            403: components["responses"]["source-address-not-allowed.company-suspended"];
            404: components["responses"]["contract-not-found"];
            409: components["responses"]["api-key-limit-reached.idempotency-key-spent"];
            413: components["responses"]["body-too-large"];
            429: components["responses"]["rate-limit-exceeded.throttled"];
            500: components["responses"]["internal-error"];
            503: components["responses"]["service-unavailable"];
        };
    };
    getOwnApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As it is now. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-api-version": components["headers"]["x-api-version"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "x-api-key-expires-at": components["headers"]["x-api-key-expires-at"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnApiKey"];
                };
            };
            401: components["responses"]["api-key-missing.api-key-invalid.api-key-expired"];
            403: components["responses"]["source-address-not-allowed.company-suspended"];
            404: components["responses"]["contract-not-found"];
            413: components["responses"]["body-too-large"];
            429: components["responses"]["rate-limit-exceeded.throttled"];
            500: components["responses"]["internal-error"];
            503: components["responses"]["service-unavailable"];
        };
    };
    deleteApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of an API key: the part of it that is no secret. Upper and lower case are different.
                 * @example f3QnT7wLx0RkVb2Z
                 */
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-api-version": components["headers"]["x-api-version"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "x-api-key-expires-at": components["headers"]["x-api-key-expires-at"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-request"];
            401: components["responses"]["api-key-missing.api-key-invalid.api-key-expired"];
            403: components["responses"]["source-address-not-allowed.company-suspended"];
            404: components["responses"]["api-key-not-found.contract-not-found"];
            409: components["responses"]["api-key-in-use"];
            413: components["responses"]["body-too-large"];
            429: components["responses"]["rate-limit-exceeded.throttled"];
            500: components["responses"]["internal-error"];
            503: components["responses"]["service-unavailable"];
        };
    };
    getContract: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As it is now. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-api-version": components["headers"]["x-api-version"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "x-api-key-expires-at": components["headers"]["x-api-key-expires-at"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Contract"];
                };
            };
            401: components["responses"]["api-key-missing.api-key-invalid.api-key-expired"];
            403: components["responses"]["source-address-not-allowed.company-suspended"];
            404: components["responses"]["contract-not-found"];
            413: components["responses"]["body-too-large"];
            429: components["responses"]["rate-limit-exceeded.throttled"];
            500: components["responses"]["internal-error"];
            503: components["responses"]["service-unavailable"];
        };
    };
    listGateways: {
        parameters: {
            query?: {
                /** @description Number of items on a page, 50 if absent. */
                limit?: number;
                /** @description The `nextCursor` of the page before, unchanged. */
                cursor?: string;
            };
            header: {
                /**
                 * @description The `userId` that getContract shows: the owner on whose behalf the request acts.
                 * @example owner-4711
                 */
                "x-user-id": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As it is now. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-api-version": components["headers"]["x-api-version"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "x-api-key-expires-at": components["headers"]["x-api-key-expires-at"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayPage"];
                };
            };
            400: components["responses"]["invalid-request.user-id-missing"];
            401: components["responses"]["api-key-missing.api-key-invalid.api-key-expired"];
            403: components["responses"]["source-address-not-allowed.company-suspended.contract-not-active.user-id-mismatch"];
            404: components["responses"]["contract-not-found"];
            413: components["responses"]["body-too-large"];
            429: components["responses"]["rate-limit-exceeded.throttled"];
            451: components["responses"]["consent-outdated"];
            500: components["responses"]["internal-error"];
            503: components["responses"]["service-unavailable"];
        };
    };
    getGateway: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The `userId` that getContract shows: the owner on whose behalf the request acts.
                 * @example owner-4711
                 */
                "x-user-id": string;
            };
            path: {
                /**
                 * @description Id of a gateway, the appliance’s connection to the service. Upper and lower case are different.
                 * @example gw-1001
                 */
                gatewayId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As it is now. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-api-version": components["headers"]["x-api-version"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "x-api-key-expires-at": components["headers"]["x-api-key-expires-at"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Gateway"];
                };
            };
            400: components["responses"]["invalid-request.user-id-missing"];
            401: components["responses"]["api-key-missing.api-key-invalid.api-key-expired"];
            403: components["responses"]["source-address-not-allowed.company-suspended.contract-not-active.user-id-mismatch.gateway-not-in-contract"];
            404: components["responses"]["contract-not-found"];
            413: components["responses"]["body-too-large"];
            429: components["responses"]["rate-limit-exceeded.throttled"];
            451: components["responses"]["consent-outdated"];
            500: components["responses"]["internal-error"];
            503: components["responses"]["service-unavailable"];
        };
    };
    listHeatingCircuits: {
        parameters: {
            query?: {
                /** @description Number of items on a page, 50 if absent. */
                limit?: number;
                /** @description The `nextCursor` of the page before, unchanged. */
                cursor?: string;
            };
            header: {
                /**
                 * @description The `userId` that getContract shows: the owner on whose behalf the request acts.
                 * @example owner-4711
                 */
                "x-user-id": string;
            };
            path: {
                /**
                 * @description Id of a gateway, the appliance’s connection to the service. Upper and lower case are different.
                 * @example gw-1001
                 */
                gatewayId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As it is now. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-api-version": components["headers"]["x-api-version"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "x-api-key-expires-at": components["headers"]["x-api-key-expires-at"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HeatingCircuitPage"];
                };
            };
            400: components["responses"]["invalid-request.user-id-missing"];
            401: components["responses"]["api-key-missing.api-key-invalid.api-key-expired"];
            403: components["responses"]["source-address-not-allowed.company-suspended.contract-not-active.user-id-mismatch.gateway-not-in-contract"];
            404: components["responses"]["contract-not-found"];
            413: components["responses"]["body-too-large"];
            429: components["responses"]["rate-limit-exceeded.throttled"];
            451: components["responses"]["consent-outdated"];
            500: components["responses"]["internal-error"];
            503: components["responses"]["service-unavailable"];
        };
    };
    getHeatingCircuit: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The `userId` that getContract shows: the owner on whose behalf the request acts.
                 * @example owner-4711
                 */
                "x-user-id": string;
            };
            path: {
                /**
                 * @description Id of a gateway, the appliance’s connection to the service. Upper and lower case are different.
                 * @example gw-1001
                 */
                gatewayId: string;
                /**
                 * @description Id of a circuit within its gateway and kind. Upper and lower case are different.
                 * @example hc1
                 */
                circuitId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As it is now. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-api-version": components["headers"]["x-api-version"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "x-api-key-expires-at": components["headers"]["x-api-key-expires-at"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HeatingCircuit"];
                };
            };
            400: components["responses"]["invalid-request.user-id-missing"];
            401: components["responses"]["api-key-missing.api-key-invalid.api-key-expired"];
            403: components["responses"]["source-address-not-allowed.company-suspended.contract-not-active.user-id-mismatch.gateway-not-in-contract"];
            404: components["responses"]["contract-not-found.circuit-not-found"];
            413: components["responses"]["body-too-large"];
            429: components["responses"]["rate-limit-exceeded.throttled"];
            451: components["responses"]["consent-outdated"];
            500: components["responses"]["internal-error"];
            503: components["responses"]["service-unavailable"];
        };
    };
    updateHeatingCircuit: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The `userId` that getContract shows: the owner on whose behalf the request acts.
                 * @example owner-4711
                 */
                "x-user-id": string;
                /** @description The ETag of what was read, `"7"`, say. Nothing is changed if it has changed since. */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description Id of a gateway, the appliance’s connection to the service. Upper and lower case are different.
                 * @example gw-1001
                 */
                gatewayId: string;
                /**
                 * @description Id of a circuit within its gateway and kind. Upper and lower case are different.
                 * @example hc1
                 */
                circuitId: string;
            };
            cookie?: never;
        };
        /** @description At most 32768 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["HeatingCircuitUpdate"];
            };
        };
        responses: {
            /** @description The change is stored as requested; the body shows it. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-api-version": components["headers"]["x-api-version"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "x-api-key-expires-at": components["headers"]["x-api-key-expires-at"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HeatingCircuit"];
                };
            };
            400: components["responses"]["invalid-request.user-id-missing"];
            401: components["responses"]["api-key-missing.api-key-invalid.api-key-expired"];
            403: components["responses"]["source-address-not-allowed.company-suspended.contract-not-active.user-id-mismatch.gateway-not-in-contract"];
            404: components["responses"]["contract-not-found.circuit-not-found"];
            409: components["responses"]["appliance-function-blocked"];
            412: components["responses"]["precondition-failed"];
            413: components["responses"]["body-too-large"];
            415: components["responses"]["unsupported-media-type"];
            429: components["responses"]["rate-limit-exceeded.throttled"];
            451: components["responses"]["consent-outdated"];
            500: components["responses"]["internal-error"];
            503: components["responses"]["service-unavailable"];
        };
    };
    listHeatingTimePrograms: {
        parameters: {
            query?: {
                /** @description Number of items on a page, 50 if absent. */
                limit?: number;
                /** @description The `nextCursor` of the page before, unchanged. */
                cursor?: string;
            };
            header: {
                /**
                 * @description The `userId` that getContract shows: the owner on whose behalf the request acts.
                 * @example owner-4711
                 */
                "x-user-id": string;
            };
            path: {
                /**
                 * @description Id of a gateway, the appliance’s connection to the service. Upper and lower case are different.
                 * @example gw-1001
                 */
                gatewayId: string;
                /**
                 * @description Id of a circuit within its gateway and kind. Upper and lower case are different.
                 * @example hc1
                 */
                circuitId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As it is now. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-api-version": components["headers"]["x-api-version"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "x-api-key-expires-at": components["headers"]["x-api-key-expires-at"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HeatingTimeProgramPage"];
                };
            };
            400: components["responses"]["invalid-request.user-id-missing"];
            401: components["responses"]["api-key-missing.api-key-invalid.api-key-expired"];
            403: components["responses"]["source-address-not-allowed.company-suspended.contract-not-active.user-id-mismatch.gateway-not-in-contract"];
            404: components["responses"]["contract-not-found.circuit-not-found"];
            413: components["responses"]["body-too-large"];
            429: components["responses"]["rate-limit-exceeded.throttled"];
            451: components["responses"]["consent-outdated"];
            500: components["responses"]["internal-error"];
            503: components["responses"]["service-unavailable"];
        };
    };
    getHeatingTimeProgram: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The `userId` that getContract shows: the owner on whose behalf the request acts.
                 * @example owner-4711
                 */
                "x-user-id": string;
            };
            path: {
                /**
                 * @description Id of a gateway, the appliance’s connection to the service. Upper and lower case are different.
                 * @example gw-1001
                 */
                gatewayId: string;
                /**
                 * @description Id of a circuit within its gateway and kind. Upper and lower case are different.
                 * @example hc1
                 */
                circuitId: string;
                /**
                 * @description Id of a time program within its circuit. Upper and lower case are different.
                 * @example 1
                 */
                timeProgramId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As it is now. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-api-version": components["headers"]["x-api-version"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "x-api-key-expires-at": components["headers"]["x-api-key-expires-at"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HeatingTimeProgram"];
                };
            };
            400: components["responses"]["invalid-request.user-id-missing"];
            401: components["responses"]["api-key-missing.api-key-invalid.api-key-expired"];
            403: components["responses"]["source-address-not-allowed.company-suspended.contract-not-active.user-id-mismatch.gateway-not-in-contract"];
            404: components["responses"]["contract-not-found.circuit-not-found.time-program-not-found"];
            413: components["responses"]["body-too-large"];
            429: components["responses"]["rate-limit-exceeded.throttled"];
            451: components["responses"]["consent-outdated"];
            500: components["responses"]["internal-error"];
            503: components["responses"]["service-unavailable"];
        };
    };
    updateHeatingTimeProgram: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The `userId` that getContract shows: the owner on whose behalf the request acts.
                 * @example owner-4711
                 */
                "x-user-id": string;
                /** @description The ETag of what was read, `"7"`, say. Nothing is changed if it has changed since. */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description Id of a gateway, the appliance’s connection to the service. Upper and lower case are different.
                 * @example gw-1001
                 */
                gatewayId: string;
                /**
                 * @description Id of a circuit within its gateway and kind. Upper and lower case are different.
                 * @example hc1
                 */
                circuitId: string;
                /**
                 * @description Id of a time program within its circuit. Upper and lower case are different.
                 * @example 1
                 */
                timeProgramId: string;
            };
            cookie?: never;
        };
        /** @description At most 32768 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["HeatingTimeProgramUpdate"];
            };
        };
        responses: {
            /** @description The change is stored as requested; the body shows it. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-api-version": components["headers"]["x-api-version"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "x-api-key-expires-at": components["headers"]["x-api-key-expires-at"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HeatingTimeProgram"];
                };
            };
            400: components["responses"]["invalid-request.user-id-missing"];
            401: components["responses"]["api-key-missing.api-key-invalid.api-key-expired"];
            403: components["responses"]["source-address-not-allowed.company-suspended.contract-not-active.user-id-mismatch.gateway-not-in-contract"];
            404: components["responses"]["contract-not-found.circuit-not-found.time-program-not-found"];
            409: components["responses"]["appliance-function-blocked"];
            412: components["responses"]["precondition-failed"];
            413: components["responses"]["body-too-large"];
            415: components["responses"]["unsupported-media-type"];
            429: components["responses"]["rate-limit-exceeded.throttled"];
            451: components["responses"]["consent-outdated"];
            500: components["responses"]["internal-error"];
            503: components["responses"]["service-unavailable"];
        };
    };
    listDhwCircuits: {
        parameters: {
            query?: {
                /** @description Number of items on a page, 50 if absent. */
                limit?: number;
                /** @description The `nextCursor` of the page before, unchanged. */
                cursor?: string;
            };
            header: {
                /**
                 * @description The `userId` that getContract shows: the owner on whose behalf the request acts.
                 * @example owner-4711
                 */
                "x-user-id": string;
            };
            path: {
                /**
                 * @description Id of a gateway, the appliance’s connection to the service. Upper and lower case are different.
                 * @example gw-1001
                 */
                gatewayId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As it is now. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-api-version": components["headers"]["x-api-version"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "x-api-key-expires-at": components["headers"]["x-api-key-expires-at"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DhwCircuitPage"];
                };
            };
            400: components["responses"]["invalid-request.user-id-missing"];
            401: components["responses"]["api-key-missing.api-key-invalid.api-key-expired"];
            403: components["responses"]["source-address-not-allowed.company-suspended.contract-not-active.user-id-mismatch.gateway-not-in-contract"];
            404: components["responses"]["contract-not-found"];
            413: components["responses"]["body-too-large"];
            429: components["responses"]["rate-limit-exceeded.throttled"];
            451: components["responses"]["consent-outdated"];
            500: components["responses"]["internal-error"];
            503: components["responses"]["service-unavailable"];
        };
    };
    getDhwCircuit: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The `userId` that getContract shows: the owner on whose behalf the request acts.
                 * @example owner-4711
                 */
                "x-user-id": string;
            };
            path: {
                /**
                 * @description Id of a gateway, the appliance’s connection to the service. Upper and lower case are different.
                 * @example gw-1001
                 */
                gatewayId: string;
                /**
                 * @description Id of a circuit within its gateway and kind. Upper and lower case are different.
                 * @example dhw1
                 */
                circuitId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As it is now. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-api-version": components["headers"]["x-api-version"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "x-api-key-expires-at": components["headers"]["x-api-key-expires-at"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DhwCircuit"];
                };
            };
            400: components["responses"]["invalid-request.user-id-missing"];
            401: components["responses"]["api-key-missing.api-key-invalid.api-key-expired"];
            403: components["responses"]["source-address-not-allowed.company-suspended.contract-not-active.user-id-mismatch.gateway-not-in-contract"];
            404: components["responses"]["contract-not-found.circuit-not-found"];
            413: components["responses"]["body-too-large"];
            429: components["responses"]["rate-limit-exceeded.throttled"];
            451: components["responses"]["consent-outdated"];
            500: components["responses"]["internal-error"];
            503: components["responses"]["service-unavailable"];
        };
    };
    updateDhwCircuit: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The `userId` that getContract shows: the owner on whose behalf the request acts.
                 * @example owner-4711
                 */
                "x-user-id": string;
                /** @description The ETag of what was read, `"7"`, say. Nothing is changed if it has changed since. */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description Id of a gateway, the appliance’s connection to the service. Upper and lower case are different.
                 * @example gw-1001
                 */
                gatewayId: string;
                /**
                 * @description Id of a circuit within its gateway and kind. Upper and lower case are different.
                 * @example dhw1
                 */
                circuitId: string;
            };
            cookie?: never;
        };
        /** @description At most 32768 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["DhwCircuitUpdate"];
            };
        };
        responses: {
            /** @description The change is stored as requested; the body shows it. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-api-version": components["headers"]["x-api-version"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "x-api-key-expires-at": components["headers"]["x-api-key-expires-at"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DhwCircuit"];
                };
            };
            400: components["responses"]["invalid-request.user-id-missing"];
            401: components["responses"]["api-key-missing.api-key-invalid.api-key-expired"];
            403: components["responses"]["source-address-not-allowed.company-suspended.contract-not-active.user-id-mismatch.gateway-not-in-contract"];
            404: components["responses"]["contract-not-found.circuit-not-found"];
            409: components["responses"]["appliance-function-blocked"];
            412: components["responses"]["precondition-failed"];
            413: components["responses"]["body-too-large"];
            415: components["responses"]["unsupported-media-type"];
            429: components["responses"]["rate-limit-exceeded.throttled"];
            451: components["responses"]["consent-outdated"];
            500: components["responses"]["internal-error"];
            503: components["responses"]["service-unavailable"];
        };
    };
    listDhwTimePrograms: {
        parameters: {
            query?: {
                /** @description Number of items on a page, 50 if absent. */
                limit?: number;
                /** @description The `nextCursor` of the page before, unchanged. */
                cursor?: string;
            };
            header: {
                /**
                 * @description The `userId` that getContract shows: the owner on whose behalf the request acts.
                 * @example owner-4711
                 */
                "x-user-id": string;
            };
            path: {
                /**
                 * @description Id of a gateway, the appliance’s connection to the service. Upper and lower case are different.
                 * @example gw-1001
                 */
                gatewayId: string;
                /**
                 * @description Id of a circuit within its gateway and kind. Upper and lower case are different.
                 * @example dhw1
                 */
                circuitId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As it is now. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-api-version": components["headers"]["x-api-version"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "x-api-key-expires-at": components["headers"]["x-api-key-expires-at"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DhwTimeProgramPage"];
                };
            };
            400: components["responses"]["invalid-request.user-id-missing"];
            401: components["responses"]["api-key-missing.api-key-invalid.api-key-expired"];
            403: components["responses"]["source-address-not-allowed.company-suspended.contract-not-active.user-id-mismatch.gateway-not-in-contract"];
            404: components["responses"]["contract-not-found.circuit-not-found"];
            413: components["responses"]["body-too-large"];
            429: components["responses"]["rate-limit-exceeded.throttled"];
            451: components["responses"]["consent-outdated"];
            500: components["responses"]["internal-error"];
            503: components["responses"]["service-unavailable"];
        };
    };
    getDhwTimeProgram: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The `userId` that getContract shows: the owner on whose behalf the request acts.
                 * @example owner-4711
                 */
                "x-user-id": string;
            };
            path: {
                /**
                 * @description Id of a gateway, the appliance’s connection to the service. Upper and lower case are different.
                 * @example gw-1001
                 */
                gatewayId: string;
                /**
                 * @description Id of a circuit within its gateway and kind. Upper and lower case are different.
                 * @example dhw1
                 */
                circuitId: string;
                /**
                 * @description Id of a time program within its circuit. Upper and lower case are different.
                 * @example 1
                 */
                timeProgramId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As it is now. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-api-version": components["headers"]["x-api-version"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "x-api-key-expires-at": components["headers"]["x-api-key-expires-at"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DhwTimeProgram"];
                };
            };
            400: components["responses"]["invalid-request.user-id-missing"];
            401: components["responses"]["api-key-missing.api-key-invalid.api-key-expired"];
            403: components["responses"]["source-address-not-allowed.company-suspended.contract-not-active.user-id-mismatch.gateway-not-in-contract"];
            404: components["responses"]["contract-not-found.circuit-not-found.time-program-not-found"];
            413: components["responses"]["body-too-large"];
            429: components["responses"]["rate-limit-exceeded.throttled"];
            451: components["responses"]["consent-outdated"];
            500: components["responses"]["internal-error"];
            503: components["responses"]["service-unavailable"];
        };
    };
    updateDhwTimeProgram: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The `userId` that getContract shows: the owner on whose behalf the request acts.
                 * @example owner-4711
                 */
                "x-user-id": string;
                /** @description The ETag of what was read, `"7"`, say. Nothing is changed if it has changed since. */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description Id of a gateway, the appliance’s connection to the service. Upper and lower case are different.
                 * @example gw-1001
                 */
                gatewayId: string;
                /**
                 * @description Id of a circuit within its gateway and kind. Upper and lower case are different.
                 * @example dhw1
                 */
                circuitId: string;
                /**
                 * @description Id of a time program within its circuit. Upper and lower case are different.
                 * @example 1
                 */
                timeProgramId: string;
            };
            cookie?: never;
        };
        /** @description At most 32768 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["DhwTimeProgramUpdate"];
            };
        };
        responses: {
            /** @description The change is stored as requested; the body shows it. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-api-version": components["headers"]["x-api-version"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "x-api-key-expires-at": components["headers"]["x-api-key-expires-at"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DhwTimeProgram"];
                };
            };
            400: components["responses"]["invalid-request.user-id-missing"];
            401: components["responses"]["api-key-missing.api-key-invalid.api-key-expired"];
            403: components["responses"]["source-address-not-allowed.company-suspended.contract-not-active.user-id-mismatch.gateway-not-in-contract"];
            404: components["responses"]["contract-not-found.circuit-not-found.time-program-not-found"];
            409: components["responses"]["appliance-function-blocked"];
            412: components["responses"]["precondition-failed"];
            413: components["responses"]["body-too-large"];
            415: components["responses"]["unsupported-media-type"];
            429: components["responses"]["rate-limit-exceeded.throttled"];
            451: components["responses"]["consent-outdated"];
            500: components["responses"]["internal-error"];
            503: components["responses"]["service-unavailable"];
        };
    };
}
