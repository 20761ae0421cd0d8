// Written by `npm run generate` from docs/openapi.json.

export interface paths {
    "/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the API keys of the company, expired keys included
         * @description List the API keys of the company, expired keys included.
         *
         *     Rate policy `general`: 5 requests at once, and one more every 500 ms, for each company and operation. A request costs one token, also if it then fails. A refusal with 429 is free, and so is one before the key is known and the ids are well-formed.
         */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Create an API key; the key in use stays valid
         * @description Create an API key; the key in use stays valid.
         *
         *     Rate policy `general`: 5 requests at once, and one more every 500 ms, for each company and operation. A request costs one token, also if it then fails. A refusal with 429 is free, and so is one before the key is known and the ids are well-formed.
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
         * Read the API key in use: when it expires, and how many valid keys there are
         * @description Read the API key in use: when it expires, and how many valid keys there are.
         *
         *     Rate policy `general`: 5 requests at once, and one more every 500 ms, for each company and operation. A request costs one token, also if it then fails. A refusal with 429 is free, and so is one before the key is known and the ids are well-formed.
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
         * Delete an API key; the key in use cannot delete itself
         * @description Delete an API key; the key in use cannot delete itself.
         *
         *     Rate policy `general`: 5 requests at once, and one more every 500 ms, for each company, operation and path with its ids. A request costs one token, also if it then fails. A refusal with 429 is free, and so is one before the key is known and the ids are well-formed.
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
         * Read the contract: the owner to act for, and the state of consent
         * @description Read the contract: the owner to act for, and the state of consent.
         *
         *     Rate policy `general`: 5 requests at once, and one more every 500 ms, for each company and operation. A request costs one token, also if it then fails. A refusal with 429 is free, and so is one before the key is known and the ids are well-formed.
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
    "/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what has happened since a cursor: the feed of events, without a gap
         * @description Read what has happened since a cursor: the feed of events, without a gap.
         *
         *     Rate policy `general`: 5 requests at once, and one more every 500 ms, for each company and operation. A request costs one token, also if it then fails. A refusal with 429 is free, and so is one before the key is known and the ids are well-formed.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the webhooks of the company
         * @description List the webhooks of the company.
         *
         *     Rate policy `general`: 5 requests at once, and one more every 500 ms, for each company and operation. A request costs one token, also if it then fails. A refusal with 429 is free, and so is one before the key is known and the ids are well-formed.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Create a webhook; a poke brings its code to the URL
         * @description Create a webhook; a poke brings its code to the URL.
         *
         *     Rate policy `general`: 5 requests at once, and one more every 500 ms, for each company and operation. A request costs one token, also if it then fails. A refusal with 429 is free, and so is one before the key is known and the ids are well-formed.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{webhookId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a webhook: whether it is enabled, and what became of the last attempt to send a poke
         * @description Read a webhook: whether it is enabled, and what became of the last attempt to send a poke.
         *
         *     Rate policy `general`: 5 requests at once, and one more every 500 ms, for each company, operation and path with its ids. A request costs one token, also if it then fails. A refusal with 429 is free, and so is one before the key is known and the ids are well-formed.
         */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook
         * @description Delete a webhook.
         *
         *     Rate policy `general`: 5 requests at once, and one more every 500 ms, for each company, operation and path with its ids. A request costs one token, also if it then fails. A refusal with 429 is free, and so is one before the key is known and the ids are well-formed.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{webhookId}/verification": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enable a webhook with the code that came to its URL, or ask for a new code
         * @description Enable a webhook with the code that came to its URL, or ask for a new code.
         *
         *     Rate policy `general`: 5 requests at once, and one more every 500 ms, for each company, operation and path with its ids. A request costs one token, also if it then fails. A refusal with 429 is free, and so is one before the key is known and the ids are well-formed.
         */
        post: operations["verifyWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{webhookId}/secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a webhook a new secret; pokes are signed with the one before too, for a day
         * @description Give a webhook a new secret; pokes are signed with the one before too, for a day.
         *
         *     Rate policy `general`: 5 requests at once, and one more every 500 ms, for each company, operation and path with its ids. A request costs one token, also if it then fails. A refusal with 429 is free, and so is one before the key is known and the ids are well-formed.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{webhookId}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send two pokes to a webhook at once, one with a right signature and one with a wrong one
         * @description Send two pokes to a webhook at once, one with a right signature and one with a wrong one.
         *
         *     Rate policy `general`: 5 requests at once, and one more every 500 ms, for each company, operation and path with its ids. A request costs one token, also if it then fails. A refusal with 429 is free, and so is one before the key is known and the ids are well-formed.
         */
        post: operations["testWebhook"];
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
         *     The request needs an active contract, the owner of the contract in `x-user-id`, and the owner’s consent to the latest version.
         *
         *     Rate policy `general`: 5 requests at once, and one more every 500 ms, for each company and operation. A request costs one token, also if it then fails. A refusal with 429 is free, and so is one before the key is known and the ids are well-formed.
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
         * Read a gateway: its components, whether it is online, and the functions that it blocks
         * @description Read a gateway: its components, whether it is online, and the functions that it blocks.
         *
         *     The request needs an active contract, the owner of the contract in `x-user-id`, and the owner’s consent to the latest version.
         *
         *     Rate policy `gateway`: 3 requests at once, and one more every 2000 ms, for each company, operation and path with its ids. A request costs one token, also if it then fails. A refusal with 429 is free, and so is one before the key is known and the ids are well-formed. Requests for gateways that are not in the contract share one token bucket of the policy `general`.
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
         *     The request needs an active contract, the owner of the contract in `x-user-id`, and the owner’s consent to the latest version.
         *
         *     Rate policy `gateway`: 3 requests at once, and one more every 2000 ms, for each company, operation and path with its ids. A request costs one token, also if it then fails. A refusal with 429 is free, and so is one before the key is known and the ids are well-formed. Requests for gateways that are not in the contract share one token bucket of the policy `general`.
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
         *     The request needs an active contract, the owner of the contract in `x-user-id`, and the owner’s consent to the latest version.
         *
         *     Rate policy `gateway`: 3 requests at once, and one more every 2000 ms, for each company, operation and path with its ids. A request costs one token, also if it then fails. A refusal with 429 is free, and so is one before the key is known and the ids are well-formed. Requests for gateways that are not in the contract share one token bucket of the policy `general`.
         */
        get: operations["getHeatingCircuit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the mode, setpoint or time program of a heating circuit
         * @description Change the mode, setpoint or time program of a heating circuit.
         *
         *     The change is stored as a requested change and visible at once. It is `pending` until the appliance reports it, and `confirmed` then. An appliance that is offline receives it later.
         *
         *     The request needs an active contract, the owner of the contract in `x-user-id`, and the owner’s consent to the latest version.
         *
         *     Rate policy `gateway`: 3 requests at once, and one more every 2000 ms, for each company, operation and path with its ids. A request costs one token, also if it then fails. A refusal with 429 is free, and so is one before the key is known and the ids are well-formed. Requests for gateways that are not in the contract share one token bucket of the policy `general`.
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
         *     The request needs an active contract, the owner of the contract in `x-user-id`, and the owner’s consent to the latest version.
         *
         *     Rate policy `gateway`: 3 requests at once, and one more every 2000 ms, for each company, operation and path with its ids. A request costs one token, also if it then fails. A refusal with 429 is free, and so is one before the key is known and the ids are well-formed. Requests for gateways that are not in the contract share one token bucket of the policy `general`.
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
         *     The request needs an active contract, the owner of the contract in `x-user-id`, and the owner’s consent to the latest version.
         *
         *     Rate policy `gateway`: 3 requests at once, and one more every 2000 ms, for each company, operation and path with its ids. A request costs one token, also if it then fails. A refusal with 429 is free, and so is one before the key is known and the ids are well-formed. Requests for gateways that are not in the contract share one token bucket of the policy `general`.
         */
        get: operations["getHeatingTimeProgram"];
        /**
         * Replace a time program of a heating circuit
         * @description Replace a time program of a heating circuit.
         *
         *     The change is stored as a requested change and visible at once. It is `pending` until the appliance reports it, and `confirmed` then. An appliance that is offline receives it later.
         *
         *     The request needs an active contract, the owner of the contract in `x-user-id`, and the owner’s consent to the latest version.
         *
         *     Rate policy `time-program`: 1 request at once, and one more every 10000 ms, for each company, operation and path with its ids. A request costs one token, also if it then fails. A refusal with 429 is free, and so is one before the key is known and the ids are well-formed. Requests for gateways that are not in the contract share one token bucket of the policy `general`.
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
         *     The request needs an active contract, the owner of the contract in `x-user-id`, and the owner’s consent to the latest version.
         *
         *     Rate policy `gateway`: 3 requests at once, and one more every 2000 ms, for each company, operation and path with its ids. A request costs one token, also if it then fails. A refusal with 429 is free, and so is one before the key is known and the ids are well-formed. Requests for gateways that are not in the contract share one token bucket of the policy `general`.
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
         *     The request needs an active contract, the owner of the contract in `x-user-id`, and the owner’s consent to the latest version.
         *
         *     Rate policy `gateway`: 3 requests at once, and one more every 2000 ms, for each company, operation and path with its ids. A request costs one token, also if it then fails. A refusal with 429 is free, and so is one before the key is known and the ids are well-formed. Requests for gateways that are not in the contract share one token bucket of the policy `general`.
         */
        get: operations["getDhwCircuit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the mode, setpoint or time program of a hot-water circuit
         * @description Change the mode, setpoint or time program of a hot-water circuit.
         *
         *     The change is stored as a requested change and visible at once. It is `pending` until the appliance reports it, and `confirmed` then. An appliance that is offline receives it later.
         *
         *     The request needs an active contract, the owner of the contract in `x-user-id`, and the owner’s consent to the latest version.
         *
         *     Rate policy `gateway`: 3 requests at once, and one more every 2000 ms, for each company, operation and path with its ids. A request costs one token, also if it then fails. A refusal with 429 is free, and so is one before the key is known and the ids are well-formed. Requests for gateways that are not in the contract share one token bucket of the policy `general`.
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
         *     The request needs an active contract, the owner of the contract in `x-user-id`, and the owner’s consent to the latest version.
         *
         *     Rate policy `gateway`: 3 requests at once, and one more every 2000 ms, for each company, operation and path with its ids. A request costs one token, also if it then fails. A refusal with 429 is free, and so is one before the key is known and the ids are well-formed. Requests for gateways that are not in the contract share one token bucket of the policy `general`.
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
         *     The request needs an active contract, the owner of the contract in `x-user-id`, and the owner’s consent to the latest version.
         *
         *     Rate policy `gateway`: 3 requests at once, and one more every 2000 ms, for each company, operation and path with its ids. A request costs one token, also if it then fails. A refusal with 429 is free, and so is one before the key is known and the ids are well-formed. Requests for gateways that are not in the contract share one token bucket of the policy `general`.
         */
        get: operations["getDhwTimeProgram"];
        /**
         * Replace a time program of a hot-water circuit
         * @description Replace a time program of a hot-water circuit.
         *
         *     The change is stored as a requested change and visible at once. It is `pending` until the appliance reports it, and `confirmed` then. An appliance that is offline receives it later.
         *
         *     The request needs an active contract, the owner of the contract in `x-user-id`, and the owner’s consent to the latest version.
         *
         *     Rate policy `time-program`: 1 request at once, and one more every 10000 ms, for each company, operation and path with its ids. A request costs one token, also if it then fails. A refusal with 429 is free, and so is one before the key is known and the ids are well-formed. Requests for gateways that are not in the contract share one token bucket of the policy `general`.
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
export interface webhooks {
    "events.available": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * There is something to read in the feed: answer, then read it from your cursor
         * @description There is something to read in the feed: answer, then read it from your cursor. It is signed as Standard Webhooks says: check the signature before you believe it.
         */
        post: {
            parameters: {
                query?: never;
                header: {
                    /**
                     * @description The id of the poke; when a poke is tried again, it keeps its id.
                     * @example poke_3568fe5e95f9e15875303b598e9d5794
                     */
                    "webhook-id": string;
                    /**
                     * @description When this attempt was made, in seconds since 1970. Refuse what is more than five minutes from now.
                     * @example 1795256162
                     */
                    "webhook-timestamp": string;
                    /**
                     * @description `v1,` and the HMAC-SHA256 of `<id>.<timestamp>.<body>` in base64, by the bytes that stand in base64 behind `whsec_`; several are separated by spaces, and one right one is enough.
                     * @example v1,5ZVgAFAUR/63QKQP/vQdV7LszgZicHR3kjoEBLaWr5c=
                     */
                    "webhook-signature": string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    /**
                     * @example {
                     *       "type": "events.available",
                     *       "timestamp": "2026-11-21T10:16:02Z",
                     *       "data": {
                     *         "webhookId": "wh_6mQ2cX0yVb9TzL4pRk7WsE"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["EventsAvailablePoke"];
                };
            };
            responses: {
                /** @description Disables the webhook at once. */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The poke has arrived. Answer within 10 seconds; the body is not read. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The poke is sent again, for up to 72 hours; `Retry-After` is honoured up to an hour. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "webhook.verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The first poke to a webhook: send its code back with verifyWebhook
         * @description The first poke to a webhook: send its code back with verifyWebhook. It is signed as Standard Webhooks says: check the signature before you believe it.
         */
        post: {
            parameters: {
                query?: never;
                header: {
                    /**
                     * @description The id of the poke; when a poke is tried again, it keeps its id.
                     * @example poke_a99c6003ef0d04a72961dfbcb3fdf714
                     */
                    "webhook-id": string;
                    /**
                     * @description When this attempt was made, in seconds since 1970. Refuse what is more than five minutes from now.
                     * @example 1795256162
                     */
                    "webhook-timestamp": string;
                    /**
                     * @description `v1,` and the HMAC-SHA256 of `<id>.<timestamp>.<body>` in base64, by the bytes that stand in base64 behind `whsec_`; several are separated by spaces, and one right one is enough.
                     * @example v1,BV77fG0Lem/gQKpqJefucehzV8LfRUJC4CEFwP+kGpE=
                     */
                    "webhook-signature": string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    /**
                     * @example {
                     *       "type": "webhook.verify",
                     *       "timestamp": "2026-11-21T10:16:02Z",
                     *       "data": {
                     *         "webhookId": "wh_6mQ2cX0yVb9TzL4pRk7WsE",
                     *         "code": "2nYxQe7TzL4pRk7WsE6mQ2"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookVerifyPoke"];
                };
            };
            responses: {
                /** @description Disables the webhook at once. */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The poke has arrived. Answer within 10 seconds; the body is not read. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The poke is sent again, for up to 72 hours; `Retry-After` is honoured up to an hour. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "webhook.test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * You have asked for it with testWebhook: answer, and do nothing
         * @description You have asked for it with testWebhook: answer, and do nothing. It is signed as Standard Webhooks says: check the signature before you believe it.
         */
        post: {
            parameters: {
                query?: never;
                header: {
                    /**
                     * @description The id of the poke; when a poke is tried again, it keeps its id.
                     * @example poke_7Qm0aLkVd3S9xYtRb2WcZQ
                     */
                    "webhook-id": string;
                    /**
                     * @description When this attempt was made, in seconds since 1970. Refuse what is more than five minutes from now.
                     * @example 1795256162
                     */
                    "webhook-timestamp": string;
                    /**
                     * @description `v1,` and the HMAC-SHA256 of `<id>.<timestamp>.<body>` in base64, by the bytes that stand in base64 behind `whsec_`; several are separated by spaces, and one right one is enough.
                     * @example v1,6VH9w+3nTwfcOXU9/m20bXhBh1armaDSvDfAUVT2bnY=
                     */
                    "webhook-signature": string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    /**
                     * @example {
                     *       "type": "webhook.test",
                     *       "timestamp": "2026-11-21T10:16:02Z",
                     *       "data": {
                     *         "webhookId": "wh_6mQ2cX0yVb9TzL4pRk7WsE"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookTestPoke"];
                };
            };
            responses: {
                /** @description Disables the webhook at once. */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The poke has arrived. Answer within 10 seconds; the body is not read. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The poke is sent again, for up to 72 hours; `Retry-After` is honoured up to an hour. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        /**
         * @example {
         *       "keyId": "f3QnT7wLx0RkVb2Z",
         *       "createdAt": "2026-07-15T09:30:00Z",
         *       "expiresAt": "2027-01-15T09:30:00Z",
         *       "createdByKeyId": null,
         *       "state": "valid",
         *       "lastUsedOn": "2026-11-20",
         *       "inUse": true
         *     }
         */
        ApiKey: {
            /** @description The id of the key. It is the part of the key that is not secret. */
            keyId: string;
            /**
             * Format: date-time
             * @description When the key was created, UTC.
             */
            createdAt: string;
            /** @description The id of the key that created this one; null if the operator issued it. */
            createdByKeyId: string | null;
            /**
             * Format: date-time
             * @description The key is valid before this moment, UTC.
             */
            expiresAt: string;
            /**
             * @description Whether the key has expired. An expired key stays in the list until it is deleted.
             * @enum {string}
             */
            state: "valid" | "expired";
            /**
             * Format: date
             * @description The last day, UTC, on which the key was used; null if it was never used.
             */
            lastUsedOn: string | null;
            /** @description True for the key that authenticates this request. A key cannot delete itself. */
            inUse: boolean;
        };
        /**
         * @example {
         *       "keyId": "f3QnT7wLx0RkVb2Z",
         *       "createdAt": "2026-07-15T09:30:00Z",
         *       "expiresAt": "2027-01-15T09:30:00Z",
         *       "apiKey": "xHCSAPI_acme_20270115T093000Z_f3QnT7wLx0RkVb2Z_0000000000000000000000000000000000000000000000000"
         *     }
         */
        ApiKeyCreated: {
            /** @description The id of the key. It is the part of the key that is not secret. */
            keyId: string;
            /** @description The whole key. Only this answer shows it; the service keeps a hash of it. */
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
         *       "items": [
         *         {
         *           "keyId": "f3QnT7wLx0RkVb2Z",
         *           "createdAt": "2026-07-15T09:30:00Z",
         *           "expiresAt": "2027-01-15T09:30:00Z",
         *           "createdByKeyId": null,
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
            /** @description Send it as `cursor` to get the next page; null on the last page. */
            nextCursor: string | null;
        };
        /**
         * @example {
         *       "keyId": "f3QnT7wLx0RkVb2Z",
         *       "expiresAt": "2027-01-15T09:30:00Z"
         *     }
         */
        ApiKeyReference: {
            /** @description The id of the key. It is the part of the key that is not secret. */
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
            /** @description The id of the company that holds the contract. */
            companyId: string;
            /** @description The id of the appliance owner on whose behalf the company acts. Send it as x-user-id. */
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
                /**
                 * Format: int32
                 * @description The consent version that the owner must have accepted.
                 */
                requiredVersion: number;
                /**
                 * Format: int32
                 * @description The consent version that the owner accepted last; null if there is none.
                 */
                acceptedVersion: number | null;
                /**
                 * Format: date-time
                 * @description When the owner accepted that version, UTC; null if the owner has accepted none.
                 */
                acceptedAt: string | null;
                /** @description Whether the consent covers remote control. */
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
            /** @description The id of a gateway, which connects an appliance to the service. */
            gatewayId: string;
            /** @description The id of a circuit within its gateway and kind. */
            circuitId: string;
            /**
             * @description How the circuit runs. In `auto` it follows its active time program.
             * @enum {string}
             */
            operationMode: "off" | "eco" | "comfort" | "auto";
            /** @description The hot-water temperature to reach, in degrees Celsius. */
            waterSetpointCelsius: number;
            /** @description The id of the time program that the circuit follows. */
            activeTimeProgramId: string;
            /** @description The measured hot-water temperature in degrees Celsius; null if the sensor is open or short. */
            waterTemperatureCelsius: number | null;
            /**
             * @description `pending` while the appliance has not yet reported the requested change, `confirmed` otherwise.
             * @enum {string}
             */
            state: "confirmed" | "pending";
            /**
             * Format: int32
             * @description The number of the last requested change. Reports do not change it. The ETag holds it.
             */
            version: number;
            /**
             * Format: date-time
             * @description When the appliance last reported, UTC.
             */
            reportedAt: string;
            /** @description Why the appliance did not take over the requested change when it last tried; absent if it did not refuse it. The change stays `pending` and is not withdrawn: request another one to replace it. */
            lastRefusal?: {
                /**
                 * Format: date-time
                 * @description When the appliance refused the change, UTC.
                 */
                at: string;
                /** @description A short code of the appliance for the reason. New codes may be added. */
                reason: string;
                /** @description The reason in words. */
                detail: string;
            };
            /**
             * @description Only in the answer to a change: whether the gateway can receive the requested change now.
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
            /** @description Send it as `cursor` to get the next page; null on the last page. */
            nextCursor: string | null;
        };
        /**
         * @example {
         *       "waterSetpointCelsius": 55
         *     }
         */
        DhwCircuitUpdate: {
            /**
             * @description How the circuit runs. In `auto` it follows its active time program.
             * @enum {string}
             */
            operationMode?: "off" | "eco" | "comfort" | "auto";
            /** @description The hot-water temperature to reach, in degrees Celsius. */
            waterSetpointCelsius?: number;
            /** @description The id of the time program that the circuit follows. */
            activeTimeProgramId?: string;
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
            /** @description The id of a time program within its circuit. */
            timeProgramId: string;
            /** @description The name of the time program: 1 to 60 characters, none of them a control character, a noncharacter of Unicode or one that turns the direction of writing. */
            name: string;
            /** @description The switch points of a week, which every week repeats; at most one per day and time. The `limits` of the gateway hold. */
            switchPoints: {
                /**
                 * @description The day of the week at the appliance.
                 * @enum {string}
                 */
                dayOfWeek: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday";
                /** @description The time of day as HH:mm, in the local time of the appliance, on the raster of the gateway. */
                time: string;
                /**
                 * @description The level from this time until the next switch point.
                 * @enum {string}
                 */
                setpoint: "off" | "eco" | "comfort";
            }[];
            /**
             * @description `pending` while the appliance has not yet reported the requested change, `confirmed` otherwise.
             * @enum {string}
             */
            state: "confirmed" | "pending";
            /**
             * Format: int32
             * @description The number of the last requested change. Reports do not change it. The ETag holds it.
             */
            version: number;
            /**
             * Format: date-time
             * @description When the appliance last reported, UTC.
             */
            reportedAt: string;
            /** @description Why the appliance did not take over the requested change when it last tried; absent if it did not refuse it. The change stays `pending` and is not withdrawn: request another one to replace it. */
            lastRefusal?: {
                /**
                 * Format: date-time
                 * @description When the appliance refused the change, UTC.
                 */
                at: string;
                /** @description A short code of the appliance for the reason. New codes may be added. */
                reason: string;
                /** @description The reason in words. */
                detail: string;
            };
            /**
             * @description Only in the answer to a change: whether the gateway can receive the requested change now.
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
            /** @description Send it as `cursor` to get the next page; null on the last page. */
            nextCursor: string | null;
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
            /** @description The name of the time program: 1 to 60 characters, none of them a control character, a noncharacter of Unicode or one that turns the direction of writing. */
            name: string;
            /** @description The switch points of a week, which every week repeats; at most one per day and time. The `limits` of the gateway hold. */
            switchPoints: {
                /**
                 * @description The day of the week at the appliance.
                 * @enum {string}
                 */
                dayOfWeek: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday";
                /** @description The time of day as HH:mm, in the local time of the appliance, on the raster of the gateway. */
                time: string;
                /**
                 * @description The level from this time until the next switch point.
                 * @enum {string}
                 */
                setpoint: "off" | "eco" | "comfort";
            }[];
        };
        /**
         * @example {
         *       "keyId": "f3QnT7wLx0RkVb2Z",
         *       "expiresAt": "2027-05-21T10:15:00Z",
         *       "remaining": "P14D",
         *       "isLastKey": true
         *     }
         */
        ExpiringApiKey: {
            /** @description The id of the key. */
            keyId: string;
            /**
             * Format: date-time
             * @description When the key expires, UTC.
             */
            expiresAt: string;
            /** @description How long the key is still valid, as an ISO 8601 duration. */
            remaining: string;
            /** @description Whether no other valid key of the company expires later. */
            isLastKey: boolean;
        };
        /**
         * @example {
         *       "id": "evt_7Qm0aLkVd3S9xYtRb2WcZQ",
         *       "type": "circuit.changed",
         *       "at": "2026-11-21T10:16:02Z",
         *       "gatewayId": "gw-1001",
         *       "resource": "/hvacs/gw-1001/heatingCircuits/hc1",
         *       "data": {
         *         "gatewayId": "gw-1001",
         *         "circuitId": "hc1",
         *         "operationMode": "auto",
         *         "roomSetpointCelsius": 21.5,
         *         "activeTimeProgramId": "1",
         *         "roomTemperatureCelsius": 20.9,
         *         "supplyTemperatureCelsius": 34.2,
         *         "state": "confirmed",
         *         "version": 7,
         *         "reportedAt": "2026-11-20T16:30:00Z"
         *       }
         *     }
         */
        FeedEvent: {
            /** @description The id of the event. */
            id: string;
            /** @description What has happened. `KnownFeedEvent` has the types of this version, each with its `data`. More types may be added: ignore those that you do not know. */
            type: string;
            /**
             * Format: date-time
             * @description When it happened, UTC.
             */
            at: string;
            /** @description The gateway that the event is about; absent if it is about none. */
            gatewayId?: string;
            /** @description The path to read what the event is about, as it is now. */
            resource: string;
            /** @description What the resource was right after the event; what is in it follows from the type. */
            data: {
                [key: string]: unknown;
            };
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "id": "evt_7Qm0aLkVd3S9xYtRb2WcZQ",
         *           "type": "circuit.changed",
         *           "at": "2026-11-21T10:16:02Z",
         *           "gatewayId": "gw-1001",
         *           "resource": "/hvacs/gw-1001/heatingCircuits/hc1",
         *           "data": {
         *             "gatewayId": "gw-1001",
         *             "circuitId": "hc1",
         *             "operationMode": "auto",
         *             "roomSetpointCelsius": 21.5,
         *             "activeTimeProgramId": "1",
         *             "roomTemperatureCelsius": 20.9,
         *             "supplyTemperatureCelsius": 34.2,
         *             "state": "confirmed",
         *             "version": 7,
         *             "reportedAt": "2026-11-20T16:30:00Z"
         *           }
         *         }
         *       ],
         *       "nextCursor": "M2ZhOTBiMS5xOHYyWHJUbi40Mg",
         *       "hasMore": false,
         *       "withheld": 0
         *     }
         */
        FeedEventPage: {
            /** @description What has happened, in its order. Every event comes once. */
            items: components["schemas"]["FeedEvent"][];
            /** @description Store it when you have processed the page, and send it as `after` to get what follows. It stays the same as long as nothing follows. */
            nextCursor: string;
            /** @description Whether more events follow now: if so, go on at once. */
            hasMore: boolean;
            /**
             * Format: int32
             * @description How many events of this page you are not shown, since the consent, the contract or the gateway they belong to is gone or is newer than they are. If it is not 0, read the state anew.
             */
            withheld: number;
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
            /** @description The id of a gateway, which connects an appliance to the service. */
            gatewayId: string;
            /** @description The name of the gateway, as its owner sees it. */
            name: string;
            /** @description The kind of gateway. */
            type: string;
            /**
             * @description Whether the service can reach the gateway now.
             * @enum {string}
             */
            connectivity: "online" | "offline";
            /**
             * Format: date-time
             * @description When the gateway last reported, UTC.
             */
            lastSeenAt: string;
            /** @description The parts of the appliance. */
            components: {
                /** @description The id of the component within its gateway. */
                componentId: string;
                /** @description The kind of component. */
                type: string;
                /** @description The model of the component. */
                model: string;
                /** @description The serial number of the component; absent if it has none. */
                serialNumber?: string;
            }[];
            /** @description The functions that the appliance blocks for a while to protect itself. The service refuses changes of them. */
            blockedFunctions: {
                /**
                 * @description The blocked function: changes of circuits or of time programs, of heating or of hot water (dhw).
                 * @enum {string}
                 */
                function: "heatingCircuits" | "heatingTimePrograms" | "dhwCircuits" | "dhwTimePrograms";
                /**
                 * Format: date-time
                 * @description When the appliance began to block the function, UTC.
                 */
                blockedSince: string;
                /**
                 * Format: date-time
                 * @description When the appliance will accept changes again, UTC; null if the appliance does not know.
                 */
                blockedUntil: string | null;
            }[];
            /** @description The limits of a time program of the appliance. */
            limits: {
                /**
                 * Format: int32
                 * @description The highest number of switch points in a time program.
                 */
                maxSwitchPoints: number;
                /**
                 * Format: int32
                 * @description The highest number of switch points on one day of the week.
                 */
                maxSwitchPointsPerDay: number;
                /**
                 * Format: int32
                 * @description The time of a switch point is a multiple of this number of minutes.
                 */
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
            /** @description Send it as `cursor` to get the next page; null on the last page. */
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
            /** @description The id of a gateway, which connects an appliance to the service. */
            gatewayId: string;
            /** @description The id of a circuit within its gateway and kind. */
            circuitId: string;
            /**
             * @description How the circuit runs. In `auto` it follows its active time program.
             * @enum {string}
             */
            operationMode: "auto" | "manual" | "off";
            /** @description The room temperature to reach, in degrees Celsius. */
            roomSetpointCelsius: number;
            /** @description The id of the time program that the circuit follows. */
            activeTimeProgramId: string;
            /** @description The measured room temperature in degrees Celsius; null if the sensor is open or short. */
            roomTemperatureCelsius: number | null;
            /** @description The measured temperature in degrees Celsius of the water that flows to the radiators; null if the sensor is open or short. */
            supplyTemperatureCelsius: number | null;
            /**
             * @description `pending` while the appliance has not yet reported the requested change, `confirmed` otherwise.
             * @enum {string}
             */
            state: "confirmed" | "pending";
            /**
             * Format: int32
             * @description The number of the last requested change. Reports do not change it. The ETag holds it.
             */
            version: number;
            /**
             * Format: date-time
             * @description When the appliance last reported, UTC.
             */
            reportedAt: string;
            /** @description Why the appliance did not take over the requested change when it last tried; absent if it did not refuse it. The change stays `pending` and is not withdrawn: request another one to replace it. */
            lastRefusal?: {
                /**
                 * Format: date-time
                 * @description When the appliance refused the change, UTC.
                 */
                at: string;
                /** @description A short code of the appliance for the reason. New codes may be added. */
                reason: string;
                /** @description The reason in words. */
                detail: string;
            };
            /**
             * @description Only in the answer to a change: whether the gateway can receive the requested change now.
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
            /** @description Send it as `cursor` to get the next page; null on the last page. */
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
             * @description How the circuit runs. In `auto` it follows its active time program.
             * @enum {string}
             */
            operationMode?: "auto" | "manual" | "off";
            /** @description The room temperature to reach, in degrees Celsius. */
            roomSetpointCelsius?: number;
            /** @description The id of the time program that the circuit follows. */
            activeTimeProgramId?: string;
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
            /** @description The id of a time program within its circuit. */
            timeProgramId: string;
            /** @description The name of the time program: 1 to 60 characters, none of them a control character, a noncharacter of Unicode or one that turns the direction of writing. */
            name: string;
            /** @description The switch points of a week, which every week repeats; at most one per day and time. The `limits` of the gateway hold. */
            switchPoints: {
                /**
                 * @description The day of the week at the appliance.
                 * @enum {string}
                 */
                dayOfWeek: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday";
                /** @description The time of day as HH:mm, in the local time of the appliance, on the raster of the gateway. */
                time: string;
                /**
                 * @description The level from this time until the next switch point.
                 * @enum {string}
                 */
                setpoint: "eco" | "comfort" | "off";
            }[];
            /**
             * @description `pending` while the appliance has not yet reported the requested change, `confirmed` otherwise.
             * @enum {string}
             */
            state: "confirmed" | "pending";
            /**
             * Format: int32
             * @description The number of the last requested change. Reports do not change it. The ETag holds it.
             */
            version: number;
            /**
             * Format: date-time
             * @description When the appliance last reported, UTC.
             */
            reportedAt: string;
            /** @description Why the appliance did not take over the requested change when it last tried; absent if it did not refuse it. The change stays `pending` and is not withdrawn: request another one to replace it. */
            lastRefusal?: {
                /**
                 * Format: date-time
                 * @description When the appliance refused the change, UTC.
                 */
                at: string;
                /** @description A short code of the appliance for the reason. New codes may be added. */
                reason: string;
                /** @description The reason in words. */
                detail: string;
            };
            /**
             * @description Only in the answer to a change: whether the gateway can receive the requested change now.
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
            /** @description Send it as `cursor` to get the next page; null on the last page. */
            nextCursor: string | null;
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
            /** @description The name of the time program: 1 to 60 characters, none of them a control character, a noncharacter of Unicode or one that turns the direction of writing. */
            name: string;
            /** @description The switch points of a week, which every week repeats; at most one per day and time. The `limits` of the gateway hold. */
            switchPoints: {
                /**
                 * @description The day of the week at the appliance.
                 * @enum {string}
                 */
                dayOfWeek: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday";
                /** @description The time of day as HH:mm, in the local time of the appliance, on the raster of the gateway. */
                time: string;
                /**
                 * @description The level from this time until the next switch point.
                 * @enum {string}
                 */
                setpoint: "eco" | "comfort" | "off";
            }[];
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
            /** @description The id of the company that owns the key. */
            companyId: string;
            /** @description The id of the key. It is the part of the key that is not secret. */
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
            /**
             * Format: int32
             * @description The number of keys of the company that have not expired.
             */
            validKeys: number;
            /**
             * Format: int32
             * @description The number of valid keys that a company may have: 10.
             */
            maxValidKeys: number;
            /**
             * Format: date-time
             * @description When the last of the valid keys expires, UTC. After that moment only the operator can issue a key.
             */
            lastValidKeyExpiresAt: string;
        };
        /**
         * @example {
         *       "webhookId": "wh_6mQ2cX0yVb9TzL4pRk7WsE",
         *       "url": "https://hooks.acme.example/heating",
         *       "state": "enabled",
         *       "createdAt": "2026-11-21T10:00:00Z",
         *       "verifiedAt": "2026-11-21T10:00:02Z",
         *       "disabledAt": null,
         *       "disabledBecause": null,
         *       "previousSecretUntil": null,
         *       "failingSince": null,
         *       "lastAttempt": {
         *         "at": "2026-11-21T10:16:03Z",
         *         "status": 204,
         *         "fault": null,
         *         "durationMs": 87
         *       }
         *     }
         */
        Webhook: {
            /** @description The id of the webhook. Each poke names it. */
            webhookId: string;
            /**
             * Format: uri
             * @description Where pokes are sent to.
             */
            url: string;
            /**
             * @description Unverified until the code of its first poke came back; then enabled. A disabled webhook gets no pokes until it is verified anew.
             * @enum {string}
             */
            state: "unverified" | "enabled" | "disabled";
            /**
             * Format: date-time
             * @description When the webhook was created, UTC.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When its code came back last, UTC; null if it never did.
             */
            verifiedAt: string | null;
            /**
             * Format: date-time
             * @description When it was disabled, UTC; null if it is not.
             */
            disabledAt: string | null;
            /** @description Why it is disabled: your endpoint answered 410 (gone), no poke arrived for too long (unreachable), the contract has ended, or the operator did it. Null if it is not. */
            disabledBecause: ("gone" | "unreachable" | "contract-ended" | "operator") | null;
            /**
             * Format: date-time
             * @description Until then pokes are also signed with the secret before the newest one, UTC: 24 hours from the change. Null if that is over.
             */
            previousSecretUntil: string | null;
            /**
             * Format: date-time
             * @description The first of the attempts that have failed without a success since, UTC; null if the last one did not.
             */
            failingSince: string | null;
            /** @description What became of the last attempt to send a poke; null before the first. */
            lastAttempt: {
                /**
                 * Format: date-time
                 * @description When it was made, UTC.
                 */
                at: string;
                /**
                 * Format: int32
                 * @description The status that your endpoint answered; null if it did not answer.
                 */
                status: number | null;
                /** @description What kept the service from an answer, such as name-not-resolved, no-ipv4-address or timeout; null if there was one. */
                fault: string | null;
                /**
                 * Format: int32
                 * @description How long it took, in milliseconds.
                 */
                durationMs: number;
            } | null;
        };
        /**
         * @example {
         *       "webhookId": "wh_6mQ2cX0yVb9TzL4pRk7WsE",
         *       "url": "https://hooks.acme.example/heating",
         *       "state": "unverified",
         *       "createdAt": "2026-11-21T10:00:00Z",
         *       "verifiedAt": null,
         *       "disabledAt": null,
         *       "disabledBecause": null,
         *       "previousSecretUntil": null,
         *       "failingSince": null,
         *       "lastAttempt": null,
         *       "secret": "whsec_0000000000000000000000000000000000000000000="
         *     }
         */
        WebhookCreated: {
            /** @description The id of the webhook. Each poke names it. */
            webhookId: string;
            /**
             * Format: uri
             * @description Where pokes are sent to.
             */
            url: string;
            /**
             * @description Unverified until the code of its first poke came back; then enabled. A disabled webhook gets no pokes until it is verified anew.
             * @enum {string}
             */
            state: "unverified" | "enabled" | "disabled";
            /**
             * Format: date-time
             * @description When the webhook was created, UTC.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When its code came back last, UTC; null if it never did.
             */
            verifiedAt: string | null;
            /**
             * Format: date-time
             * @description When it was disabled, UTC; null if it is not.
             */
            disabledAt: string | null;
            /** @description Why it is disabled: your endpoint answered 410 (gone), no poke arrived for too long (unreachable), the contract has ended, or the operator did it. Null if it is not. */
            disabledBecause: ("gone" | "unreachable" | "contract-ended" | "operator") | null;
            /**
             * Format: date-time
             * @description Until then pokes are also signed with the secret before the newest one, UTC: 24 hours from the change. Null if that is over.
             */
            previousSecretUntil: string | null;
            /**
             * Format: date-time
             * @description The first of the attempts that have failed without a success since, UTC; null if the last one did not.
             */
            failingSince: string | null;
            /** @description What became of the last attempt to send a poke; null before the first. */
            lastAttempt: {
                /**
                 * Format: date-time
                 * @description When it was made, UTC.
                 */
                at: string;
                /**
                 * Format: int32
                 * @description The status that your endpoint answered; null if it did not answer.
                 */
                status: number | null;
                /** @description What kept the service from an answer, such as name-not-resolved, no-ipv4-address or timeout; null if there was one. */
                fault: string | null;
                /**
                 * Format: int32
                 * @description How long it took, in milliseconds.
                 */
                durationMs: number;
            } | null;
            /** @description The secret that the pokes of this webhook are signed with. No other answer shows it; keep it where your receiver finds it. */
            secret: string;
        };
        /**
         * @example {
         *       "url": "https://hooks.acme.example/heating"
         *     }
         */
        WebhookCreation: {
            /** @description Where to send pokes to: https, port 443, a host name that is registered for your company or one below it. The name has to lead to an IPv4 address; whether it does shows with the first poke, in `lastAttempt`. A company may have 3 webhooks. */
            url: string;
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "webhookId": "wh_6mQ2cX0yVb9TzL4pRk7WsE",
         *           "url": "https://hooks.acme.example/heating",
         *           "state": "enabled",
         *           "createdAt": "2026-11-21T10:00:00Z",
         *           "verifiedAt": "2026-11-21T10:00:02Z",
         *           "disabledAt": null,
         *           "disabledBecause": null,
         *           "previousSecretUntil": null,
         *           "failingSince": null,
         *           "lastAttempt": {
         *             "at": "2026-11-21T10:16:03Z",
         *             "status": 204,
         *             "fault": null,
         *             "durationMs": 87
         *           }
         *         }
         *       ],
         *       "nextCursor": null
         *     }
         */
        WebhookPage: {
            /** @description The items of this page. */
            items: components["schemas"]["Webhook"][];
            /** @description Send it as `cursor` to get the next page; null on the last page. */
            nextCursor: string | null;
        };
        /**
         * @example {
         *       "webhookId": "wh_6mQ2cX0yVb9TzL4pRk7WsE",
         *       "secret": "whsec_0000000000000000000000000000000000000000000=",
         *       "previousSecretUntil": "2026-11-22T10:00:00Z"
         *     }
         */
        WebhookSecret: {
            /** @description The id of the webhook. Each poke names it. */
            webhookId: string;
            /** @description The secret that the pokes of this webhook are signed with. No other answer shows it; keep it where your receiver finds it. */
            secret: string;
            /**
             * Format: date-time
             * @description Until then pokes are also signed with the secret before this one, UTC: 24 hours.
             */
            previousSecretUntil: string;
        };
        /**
         * @example {
         *       "rightSignature": {
         *         "status": 204,
         *         "fault": null,
         *         "durationMs": 87
         *       },
         *       "wrongSignature": {
         *         "status": 401,
         *         "fault": null,
         *         "durationMs": 31
         *       },
         *       "wrongSignatureRefused": true
         *     }
         */
        WebhookTest: {
            /** @description What became of a poke with a right signature. It should be 200 to 299. */
            rightSignature: {
                /**
                 * Format: int32
                 * @description The status that your endpoint answered; null if it did not answer.
                 */
                status: number | null;
                /** @description What kept the service from an answer, such as name-not-resolved, no-ipv4-address or timeout; null if there was one. */
                fault: string | null;
                /**
                 * Format: int32
                 * @description How long it took, in milliseconds.
                 */
                durationMs: number;
            };
            /** @description What became of a poke with a wrong signature. It should not be 200 to 299. */
            wrongSignature: {
                /**
                 * Format: int32
                 * @description The status that your endpoint answered; null if it did not answer.
                 */
                status: number | null;
                /** @description What kept the service from an answer, such as name-not-resolved, no-ipv4-address or timeout; null if there was one. */
                fault: string | null;
                /**
                 * Format: int32
                 * @description How long it took, in milliseconds.
                 */
                durationMs: number;
            };
            /** @description Whether your endpoint refused the wrong signature; null if it did not answer. If it is false, your endpoint believes what anybody sends. */
            wrongSignatureRefused: boolean | null;
        };
        /**
         * @example {
         *       "code": "2nYxQe7TzL4pRk7WsE6mQ2"
         *     }
         */
        WebhookVerification: {
            /** @description The `code` that the last webhook.verify poke brought, at most 72 hours ago. Null asks for a poke with a new code. */
            code: string | null;
        };
        /**
         * @description The contract has changed, apart from consent. `data` is what GET of the resource answers.
         * @example {
         *       "id": "evt_7Qm0aLkVd3S9xYtRb2WcZQ",
         *       "type": "contract.changed",
         *       "at": "2026-11-21T10:16:02Z",
         *       "resource": "/contract",
         *       "data": {
         *         "companyId": "acme",
         *         "userId": "owner-4711",
         *         "state": "active",
         *         "since": "2026-01-01T00:00:00Z",
         *         "consent": {
         *           "requiredVersion": 3,
         *           "acceptedVersion": 3,
         *           "acceptedAt": "2026-01-02T10:15:00Z",
         *           "upToDate": true,
         *           "portalUrl": "https://portal.example.com/consent"
         *         }
         *       }
         *     }
         */
        ContractChangedEvent: {
            /** @description The id of the event. */
            id: string;
            /**
             * @description What has happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "contract.changed";
            /**
             * Format: date-time
             * @description When it happened, UTC.
             */
            at: string;
            /** @description The gateway that the event is about; absent if it is about none. */
            gatewayId?: string;
            /** @description The path to read what the event is about, as it is now. */
            resource: string;
            /** @description What the resource was right after the event; what is in it follows from the type. */
            data: components["schemas"]["Contract"];
        };
        /**
         * @description The owner has accepted or withdrawn consent. `data` is what GET of the resource answers.
         * @example {
         *       "id": "evt_7Qm0aLkVd3S9xYtRb2WcZQ",
         *       "type": "consent.changed",
         *       "at": "2026-11-21T10:16:02Z",
         *       "resource": "/contract",
         *       "data": {
         *         "companyId": "acme",
         *         "userId": "owner-4711",
         *         "state": "active",
         *         "since": "2026-01-01T00:00:00Z",
         *         "consent": {
         *           "requiredVersion": 3,
         *           "acceptedVersion": 3,
         *           "acceptedAt": "2026-01-02T10:15:00Z",
         *           "upToDate": true,
         *           "portalUrl": "https://portal.example.com/consent"
         *         }
         *       }
         *     }
         */
        ConsentChangedEvent: {
            /** @description The id of the event. */
            id: string;
            /**
             * @description What has happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "consent.changed";
            /**
             * Format: date-time
             * @description When it happened, UTC.
             */
            at: string;
            /** @description The gateway that the event is about; absent if it is about none. */
            gatewayId?: string;
            /** @description The path to read what the event is about, as it is now. */
            resource: string;
            /** @description What the resource was right after the event; what is in it follows from the type. */
            data: components["schemas"]["Contract"];
        };
        /**
         * @description The contract covers the gateway from now on: read its state. `data` is empty.
         * @example {
         *       "id": "evt_7Qm0aLkVd3S9xYtRb2WcZQ",
         *       "type": "gateway.added",
         *       "at": "2026-11-21T10:16:02Z",
         *       "gatewayId": "gw-1001",
         *       "resource": "/hvacs/gw-1001",
         *       "data": {}
         *     }
         */
        GatewayAddedEvent: {
            /** @description The id of the event. */
            id: string;
            /**
             * @description What has happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "gateway.added";
            /**
             * Format: date-time
             * @description When it happened, UTC.
             */
            at: string;
            /** @description The gateway that the event is about; absent if it is about none. */
            gatewayId: string;
            /** @description The path to read what the event is about, as it is now. */
            resource: string;
            /** @description What the resource was right after the event; what is in it follows from the type. */
            data: {
                [key: string]: unknown;
            };
        };
        /**
         * @description The contract covers the gateway no longer. `data` is empty.
         * @example {
         *       "id": "evt_7Qm0aLkVd3S9xYtRb2WcZQ",
         *       "type": "gateway.removed",
         *       "at": "2026-11-21T10:16:02Z",
         *       "gatewayId": "gw-1001",
         *       "resource": "/hvacs/gw-1001",
         *       "data": {}
         *     }
         */
        GatewayRemovedEvent: {
            /** @description The id of the event. */
            id: string;
            /**
             * @description What has happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "gateway.removed";
            /**
             * Format: date-time
             * @description When it happened, UTC.
             */
            at: string;
            /** @description The gateway that the event is about; absent if it is about none. */
            gatewayId: string;
            /** @description The path to read what the event is about, as it is now. */
            resource: string;
            /** @description What the resource was right after the event; what is in it follows from the type. */
            data: {
                [key: string]: unknown;
            };
        };
        /**
         * @description A key expires soon. `data` has `keyId`, `expiresAt`, `remaining` (ISO 8601) and `isLastKey`.
         * @example {
         *       "id": "evt_7Qm0aLkVd3S9xYtRb2WcZQ",
         *       "type": "api_key.expiring",
         *       "at": "2026-11-21T10:16:02Z",
         *       "resource": "/api-keys",
         *       "data": {
         *         "keyId": "f3QnT7wLx0RkVb2Z",
         *         "expiresAt": "2027-05-21T10:15:00Z",
         *         "remaining": "P14D",
         *         "isLastKey": true
         *       }
         *     }
         */
        ApiKeyExpiringEvent: {
            /** @description The id of the event. */
            id: string;
            /**
             * @description What has happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "api_key.expiring";
            /**
             * Format: date-time
             * @description When it happened, UTC.
             */
            at: string;
            /** @description The gateway that the event is about; absent if it is about none. */
            gatewayId?: string;
            /** @description The path to read what the event is about, as it is now. */
            resource: string;
            /** @description What the resource was right after the event; what is in it follows from the type. */
            data: components["schemas"]["ExpiringApiKey"];
        };
        /**
         * @description A webhook was switched off. `data` is what GET of the resource answers.
         * @example {
         *       "id": "evt_7Qm0aLkVd3S9xYtRb2WcZQ",
         *       "type": "webhook.disabled",
         *       "at": "2026-11-21T10:16:02Z",
         *       "resource": "/webhooks/wh_6mQ2cX0yVb9TzL4pRk7WsE",
         *       "data": {
         *         "webhookId": "wh_6mQ2cX0yVb9TzL4pRk7WsE",
         *         "url": "https://hooks.acme.example/heating",
         *         "state": "enabled",
         *         "createdAt": "2026-11-21T10:00:00Z",
         *         "verifiedAt": "2026-11-21T10:00:02Z",
         *         "disabledAt": null,
         *         "disabledBecause": null,
         *         "previousSecretUntil": null,
         *         "failingSince": null,
         *         "lastAttempt": {
         *           "at": "2026-11-21T10:16:03Z",
         *           "status": 204,
         *           "fault": null,
         *           "durationMs": 87
         *         }
         *       }
         *     }
         */
        WebhookDisabledEvent: {
            /** @description The id of the event. */
            id: string;
            /**
             * @description What has happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "webhook.disabled";
            /**
             * Format: date-time
             * @description When it happened, UTC.
             */
            at: string;
            /** @description The gateway that the event is about; absent if it is about none. */
            gatewayId?: string;
            /** @description The path to read what the event is about, as it is now. */
            resource: string;
            /** @description What the resource was right after the event; what is in it follows from the type. */
            data: components["schemas"]["Webhook"];
        };
        /**
         * @description The gateway has come online or gone offline. `data` is what GET of the resource answers.
         * @example {
         *       "id": "evt_7Qm0aLkVd3S9xYtRb2WcZQ",
         *       "type": "gateway.connectivity_changed",
         *       "at": "2026-11-21T10:16:02Z",
         *       "gatewayId": "gw-1001",
         *       "resource": "/hvacs/gw-1001",
         *       "data": {
         *         "gatewayId": "gw-1001",
         *         "name": "Home",
         *         "type": "heat-pump",
         *         "connectivity": "online",
         *         "lastSeenAt": "2026-11-20T16:30:00Z",
         *         "components": [
         *           {
         *             "componentId": "1",
         *             "type": "heat-pump",
         *             "model": "AW-8",
         *             "serialNumber": "AW8-gw-1001"
         *           },
         *           {
         *             "componentId": "2",
         *             "type": "room-sensor",
         *             "model": "RS-1"
         *           }
         *         ],
         *         "blockedFunctions": [
         *           {
         *             "function": "dhwTimePrograms",
         *             "blockedSince": "2026-11-20T16:00:00Z",
         *             "blockedUntil": "2026-11-20T17:00:00Z"
         *           }
         *         ],
         *         "limits": {
         *           "maxSwitchPoints": 56,
         *           "maxSwitchPointsPerDay": 8,
         *           "switchPointRasterMinutes": 10
         *         }
         *       }
         *     }
         */
        GatewayConnectivityChangedEvent: {
            /** @description The id of the event. */
            id: string;
            /**
             * @description What has happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "gateway.connectivity_changed";
            /**
             * Format: date-time
             * @description When it happened, UTC.
             */
            at: string;
            /** @description The gateway that the event is about; absent if it is about none. */
            gatewayId: string;
            /** @description The path to read what the event is about, as it is now. */
            resource: string;
            /** @description What the resource was right after the event; what is in it follows from the type. */
            data: components["schemas"]["Gateway"];
        };
        /**
         * @description The appliance blocks a function, or blocks it for another time. `data` is what GET of the gateway answers. A block that ends at its `blockedUntil` has no event of its own.
         * @example {
         *       "id": "evt_7Qm0aLkVd3S9xYtRb2WcZQ",
         *       "type": "function.blocked",
         *       "at": "2026-11-21T10:16:02Z",
         *       "gatewayId": "gw-1001",
         *       "resource": "/hvacs/gw-1001",
         *       "data": {
         *         "gatewayId": "gw-1001",
         *         "name": "Home",
         *         "type": "heat-pump",
         *         "connectivity": "online",
         *         "lastSeenAt": "2026-11-20T16:30:00Z",
         *         "components": [
         *           {
         *             "componentId": "1",
         *             "type": "heat-pump",
         *             "model": "AW-8",
         *             "serialNumber": "AW8-gw-1001"
         *           },
         *           {
         *             "componentId": "2",
         *             "type": "room-sensor",
         *             "model": "RS-1"
         *           }
         *         ],
         *         "blockedFunctions": [
         *           {
         *             "function": "dhwTimePrograms",
         *             "blockedSince": "2026-11-20T16:00:00Z",
         *             "blockedUntil": "2026-11-20T17:00:00Z"
         *           }
         *         ],
         *         "limits": {
         *           "maxSwitchPoints": 56,
         *           "maxSwitchPointsPerDay": 8,
         *           "switchPointRasterMinutes": 10
         *         }
         *       }
         *     }
         */
        FunctionBlockedEvent: {
            /** @description The id of the event. */
            id: string;
            /**
             * @description What has happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "function.blocked";
            /**
             * Format: date-time
             * @description When it happened, UTC.
             */
            at: string;
            /** @description The gateway that the event is about; absent if it is about none. */
            gatewayId: string;
            /** @description The path to read what the event is about, as it is now. */
            resource: string;
            /** @description What the resource was right after the event; what is in it follows from the type. */
            data: components["schemas"]["Gateway"];
        };
        /**
         * @description The appliance blocks a function no longer, earlier than it had said. `data` is what GET of the gateway answers.
         * @example {
         *       "id": "evt_7Qm0aLkVd3S9xYtRb2WcZQ",
         *       "type": "function.unblocked",
         *       "at": "2026-11-21T10:16:02Z",
         *       "gatewayId": "gw-1001",
         *       "resource": "/hvacs/gw-1001",
         *       "data": {
         *         "gatewayId": "gw-1001",
         *         "name": "Home",
         *         "type": "heat-pump",
         *         "connectivity": "online",
         *         "lastSeenAt": "2026-11-20T16:30:00Z",
         *         "components": [
         *           {
         *             "componentId": "1",
         *             "type": "heat-pump",
         *             "model": "AW-8",
         *             "serialNumber": "AW8-gw-1001"
         *           },
         *           {
         *             "componentId": "2",
         *             "type": "room-sensor",
         *             "model": "RS-1"
         *           }
         *         ],
         *         "blockedFunctions": [
         *           {
         *             "function": "dhwTimePrograms",
         *             "blockedSince": "2026-11-20T16:00:00Z",
         *             "blockedUntil": "2026-11-20T17:00:00Z"
         *           }
         *         ],
         *         "limits": {
         *           "maxSwitchPoints": 56,
         *           "maxSwitchPointsPerDay": 8,
         *           "switchPointRasterMinutes": 10
         *         }
         *       }
         *     }
         */
        FunctionUnblockedEvent: {
            /** @description The id of the event. */
            id: string;
            /**
             * @description What has happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "function.unblocked";
            /**
             * Format: date-time
             * @description When it happened, UTC.
             */
            at: string;
            /** @description The gateway that the event is about; absent if it is about none. */
            gatewayId: string;
            /** @description The path to read what the event is about, as it is now. */
            resource: string;
            /** @description What the resource was right after the event; what is in it follows from the type. */
            data: components["schemas"]["Gateway"];
        };
        /**
         * @description A setting, the state, the version or the last refusal of a circuit has changed, whoever changed it. Measurements alone have no event. `data` is what GET of the resource answers; it is empty if the circuit is gone.
         * @example {
         *       "id": "evt_7Qm0aLkVd3S9xYtRb2WcZQ",
         *       "type": "circuit.changed",
         *       "at": "2026-11-21T10:16:02Z",
         *       "gatewayId": "gw-1001",
         *       "resource": "/hvacs/gw-1001/heatingCircuits/hc1",
         *       "data": {
         *         "gatewayId": "gw-1001",
         *         "circuitId": "hc1",
         *         "operationMode": "auto",
         *         "roomSetpointCelsius": 21.5,
         *         "activeTimeProgramId": "1",
         *         "roomTemperatureCelsius": 20.9,
         *         "supplyTemperatureCelsius": 34.2,
         *         "state": "confirmed",
         *         "version": 7,
         *         "reportedAt": "2026-11-20T16:30:00Z"
         *       }
         *     }
         */
        CircuitChangedEvent: {
            /** @description The id of the event. */
            id: string;
            /**
             * @description What has happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "circuit.changed";
            /**
             * Format: date-time
             * @description When it happened, UTC.
             */
            at: string;
            /** @description The gateway that the event is about; absent if it is about none. */
            gatewayId: string;
            /** @description The path to read what the event is about, as it is now. */
            resource: string;
            /** @description What the resource was right after the event; what is in it follows from the type. */
            data: components["schemas"]["HeatingCircuit"] | components["schemas"]["DhwCircuit"] | Record<string, never>;
        };
        /**
         * @description A time program has changed, whoever changed it. `data` is what GET of the resource answers; it is empty if the time program is gone.
         * @example {
         *       "id": "evt_7Qm0aLkVd3S9xYtRb2WcZQ",
         *       "type": "time_program.changed",
         *       "at": "2026-11-21T10:16:02Z",
         *       "gatewayId": "gw-1001",
         *       "resource": "/hvacs/gw-1001/heatingCircuits/hc1/timePrograms/1",
         *       "data": {
         *         "timeProgramId": "1",
         *         "name": "Long evenings",
         *         "switchPoints": [
         *           {
         *             "dayOfWeek": "friday",
         *             "time": "06:30",
         *             "setpoint": "comfort"
         *           },
         *           {
         *             "dayOfWeek": "friday",
         *             "time": "22:00",
         *             "setpoint": "eco"
         *           }
         *         ],
         *         "state": "confirmed",
         *         "version": 7,
         *         "reportedAt": "2026-11-20T16:30:00Z"
         *       }
         *     }
         */
        TimeProgramChangedEvent: {
            /** @description The id of the event. */
            id: string;
            /**
             * @description What has happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "time_program.changed";
            /**
             * Format: date-time
             * @description When it happened, UTC.
             */
            at: string;
            /** @description The gateway that the event is about; absent if it is about none. */
            gatewayId: string;
            /** @description The path to read what the event is about, as it is now. */
            resource: string;
            /** @description What the resource was right after the event; what is in it follows from the type. */
            data: components["schemas"]["HeatingTimeProgram"] | components["schemas"]["DhwTimeProgram"] | Record<string, never>;
        };
        /**
         * @description An event of a type that this version has.
         * @example {
         *       "id": "evt_7Qm0aLkVd3S9xYtRb2WcZQ",
         *       "type": "circuit.changed",
         *       "at": "2026-11-21T10:16:02Z",
         *       "gatewayId": "gw-1001",
         *       "resource": "/hvacs/gw-1001/heatingCircuits/hc1",
         *       "data": {
         *         "gatewayId": "gw-1001",
         *         "circuitId": "hc1",
         *         "operationMode": "auto",
         *         "roomSetpointCelsius": 21.5,
         *         "activeTimeProgramId": "1",
         *         "roomTemperatureCelsius": 20.9,
         *         "supplyTemperatureCelsius": 34.2,
         *         "state": "confirmed",
         *         "version": 7,
         *         "reportedAt": "2026-11-20T16:30:00Z"
         *       }
         *     }
         */
        KnownFeedEvent: components["schemas"]["ContractChangedEvent"] | components["schemas"]["ConsentChangedEvent"] | components["schemas"]["GatewayAddedEvent"] | components["schemas"]["GatewayRemovedEvent"] | components["schemas"]["ApiKeyExpiringEvent"] | components["schemas"]["WebhookDisabledEvent"] | components["schemas"]["GatewayConnectivityChangedEvent"] | components["schemas"]["FunctionBlockedEvent"] | components["schemas"]["FunctionUnblockedEvent"] | components["schemas"]["CircuitChangedEvent"] | components["schemas"]["TimeProgramChangedEvent"];
        /**
         * @example {
         *       "type": "events.available",
         *       "timestamp": "2026-11-21T10:16:02Z",
         *       "data": {
         *         "webhookId": "wh_6mQ2cX0yVb9TzL4pRk7WsE"
         *       }
         *     }
         */
        EventsAvailablePoke: {
            /**
             * @description What the poke is about. More types may be added: answer 204 and ignore those that you do not know.
             * @constant
             */
            type: "events.available";
            /**
             * Format: date-time
             * @description When this attempt was made, UTC.
             */
            timestamp: string;
            /** @description Nothing personal. */
            data: {
                /** @description The id of the webhook. */
                webhookId: string;
            };
        };
        /**
         * @example {
         *       "type": "webhook.verify",
         *       "timestamp": "2026-11-21T10:16:02Z",
         *       "data": {
         *         "webhookId": "wh_6mQ2cX0yVb9TzL4pRk7WsE",
         *         "code": "2nYxQe7TzL4pRk7WsE6mQ2"
         *       }
         *     }
         */
        WebhookVerifyPoke: {
            /**
             * @description What the poke is about. More types may be added: answer 204 and ignore those that you do not know.
             * @constant
             */
            type: "webhook.verify";
            /**
             * Format: date-time
             * @description When this attempt was made, UTC.
             */
            timestamp: string;
            /** @description Nothing personal. */
            data: {
                /** @description The id of the webhook. */
                webhookId: string;
                /** @description The code to send back. */
                code: string;
            };
        };
        /**
         * @example {
         *       "type": "webhook.test",
         *       "timestamp": "2026-11-21T10:16:02Z",
         *       "data": {
         *         "webhookId": "wh_6mQ2cX0yVb9TzL4pRk7WsE"
         *       }
         *     }
         */
        WebhookTestPoke: {
            /**
             * @description What the poke is about. More types may be added: answer 204 and ignore those that you do not know.
             * @constant
             */
            type: "webhook.test";
            /**
             * Format: date-time
             * @description When this attempt was made, UTC.
             */
            timestamp: string;
            /** @description Nothing personal. */
            data: {
                /** @description The id of the webhook. */
                webhookId: string;
            };
        };
        InvalidRequestProblem: {
            /**
             * @description A URI for the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:invalid-request";
            /** @description What happened; the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 400;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, for programs. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "invalid-request";
            /** @description The id of the request, as in x-request-id. Name it if you ask the operator. */
            requestId: string;
            /** @description The faults of the request, 50 at most. */
            errors: {
                /** @description A JSON pointer to the fault. It begins with /path, /query, /header or /body. */
                pointer: string;
                /** @description What the service expected there. */
                detail: string;
            }[];
        };
        UserIdMissingProblem: {
            /**
             * @description A URI for the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:user-id-missing";
            /** @description What happened; the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 400;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, for programs. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "user-id-missing";
            /** @description The id of the request, as in x-request-id. Name it if you ask the operator. */
            requestId: string;
        };
        ApiKeyMissingProblem: {
            /**
             * @description A URI for the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:api-key-missing";
            /** @description What happened; the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 401;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, for programs. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "api-key-missing";
            /** @description The id of the request, as in x-request-id. Name it if you ask the operator. */
            requestId: string;
        };
        ApiKeyInvalidProblem: {
            /**
             * @description A URI for the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:api-key-invalid";
            /** @description What happened; the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 401;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, for programs. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "api-key-invalid";
            /** @description The id of the request, as in x-request-id. Name it if you ask the operator. */
            requestId: string;
        };
        ApiKeyExpiredProblem: {
            /**
             * @description A URI for the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:api-key-expired";
            /** @description What happened; the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 401;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, for programs. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "api-key-expired";
            /** @description The id of the request, as in x-request-id. Name it if you ask the operator. */
            requestId: string;
        };
        SourceAddressNotAllowedProblem: {
            /**
             * @description A URI for the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:source-address-not-allowed";
            /** @description What happened; the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 403;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, for programs. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "source-address-not-allowed";
            /** @description The id of the request, as in x-request-id. Name it if you ask the operator. */
            requestId: string;
        };
        CompanySuspendedProblem: {
            /**
             * @description A URI for the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:company-suspended";
            /** @description What happened; the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 403;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, for programs. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "company-suspended";
            /** @description The id of the request, as in x-request-id. Name it if you ask the operator. */
            requestId: string;
        };
        ContractNotActiveProblem: {
            /**
             * @description A URI for the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:contract-not-active";
            /** @description What happened; the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 403;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, for programs. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "contract-not-active";
            /** @description The id of the request, as in x-request-id. Name it if you ask the operator. */
            requestId: string;
        };
        UserIdMismatchProblem: {
            /**
             * @description A URI for the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:user-id-mismatch";
            /** @description What happened; the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 403;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, for programs. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "user-id-mismatch";
            /** @description The id of the request, as in x-request-id. Name it if you ask the operator. */
            requestId: string;
        };
        GatewayNotInContractProblem: {
            /**
             * @description A URI for the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:gateway-not-in-contract";
            /** @description What happened; the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 403;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, for programs. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "gateway-not-in-contract";
            /** @description The id of the request, as in x-request-id. Name it if you ask the operator. */
            requestId: string;
        };
        WebhookHostNotRegisteredProblem: {
            /**
             * @description A URI for the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:webhook-host-not-registered";
            /** @description What happened; the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 403;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, for programs. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "webhook-host-not-registered";
            /** @description The id of the request, as in x-request-id. Name it if you ask the operator. */
            requestId: string;
            /** @description The hosts that are registered for your company. Each stands for those below it, too. */
            registeredHosts: string[];
        };
        RouteNotFoundProblem: {
            /**
             * @description A URI for the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:route-not-found";
            /** @description What happened; the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 404;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, for programs.
             * @constant
             */
            code: "route-not-found";
            /** @description The id of the request, as in x-request-id. Name it if you ask the operator. */
            requestId: string;
        };
        ApiKeyNotFoundProblem: {
            /**
             * @description A URI for the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:api-key-not-found";
            /** @description What happened; the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 404;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, for programs. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "api-key-not-found";
            /** @description The id of the request, as in x-request-id. Name it if you ask the operator. */
            requestId: string;
        };
        ContractNotFoundProblem: {
            /**
             * @description A URI for the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:contract-not-found";
            /** @description What happened; the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 404;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, for programs. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "contract-not-found";
            /** @description The id of the request, as in x-request-id. Name it if you ask the operator. */
            requestId: string;
        };
        CircuitNotFoundProblem: {
            /**
             * @description A URI for the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:circuit-not-found";
            /** @description What happened; the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 404;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, for programs. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "circuit-not-found";
            /** @description The id of the request, as in x-request-id. Name it if you ask the operator. */
            requestId: string;
        };
        TimeProgramNotFoundProblem: {
            /**
             * @description A URI for the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:time-program-not-found";
            /** @description What happened; the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 404;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, for programs. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "time-program-not-found";
            /** @description The id of the request, as in x-request-id. Name it if you ask the operator. */
            requestId: string;
        };
        WebhookNotFoundProblem: {
            /**
             * @description A URI for the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:webhook-not-found";
            /** @description What happened; the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 404;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, for programs. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "webhook-not-found";
            /** @description The id of the request, as in x-request-id. Name it if you ask the operator. */
            requestId: string;
        };
        ApiKeyLimitReachedProblem: {
            /**
             * @description A URI for the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:api-key-limit-reached";
            /** @description What happened; the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 409;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, for programs. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "api-key-limit-reached";
            /** @description The id of the request, as in x-request-id. Name it if you ask the operator. */
            requestId: string;
            /** @description The valid keys of the company. */
            validKeys: components["schemas"]["ApiKeyReference"][];
            /**
             * Format: int32
             * @description The number of valid keys that a company may have: 10.
             */
            maxValidKeys: number;
        };
        IdempotencyKeySpentProblem: {
            /**
             * @description A URI for the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:idempotency-key-spent";
            /** @description What happened; the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 409;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, for programs. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "idempotency-key-spent";
            /** @description The id of the request, as in x-request-id. Name it if you ask the operator. */
            requestId: string;
        };
        ApiKeyInUseProblem: {
            /**
             * @description A URI for the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:api-key-in-use";
            /** @description What happened; the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 409;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, for programs.
             * @constant
             */
            code: "api-key-in-use";
            /** @description The id of the request, as in x-request-id. Name it if you ask the operator. */
            requestId: string;
        };
        ApplianceFunctionBlockedProblem: {
            /**
             * @description A URI for the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:appliance-function-blocked";
            /** @description What happened; the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 409;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, for programs.
             * @constant
             */
            code: "appliance-function-blocked";
            /** @description The id of the request, as in x-request-id. Name it if you ask the operator. */
            requestId: string;
            /**
             * @description The blocked function: changes of circuits or of time programs, of heating or of hot water (dhw).
             * @enum {string}
             */
            function: "heatingCircuits" | "heatingTimePrograms" | "dhwCircuits" | "dhwTimePrograms";
            /**
             * Format: date-time
             * @description When the appliance began to block the function, UTC.
             */
            blockedSince: string;
            /**
             * Format: date-time
             * @description When the appliance will accept changes again, UTC; null if the appliance does not know.
             */
            blockedUntil: string | null;
        };
        WebhookLimitReachedProblem: {
            /**
             * @description A URI for the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:webhook-limit-reached";
            /** @description What happened; the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 409;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, for programs.
             * @constant
             */
            code: "webhook-limit-reached";
            /** @description The id of the request, as in x-request-id. Name it if you ask the operator. */
            requestId: string;
        };
        WebhookCodeMismatchProblem: {
            /**
             * @description A URI for the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:webhook-code-mismatch";
            /** @description What happened; the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 409;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, for programs.
             * @constant
             */
            code: "webhook-code-mismatch";
            /** @description The id of the request, as in x-request-id. Name it if you ask the operator. */
            requestId: string;
        };
        CursorExpiredProblem: {
            /**
             * @description A URI for the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:cursor-expired";
            /** @description What happened; the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 410;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, for programs.
             * @constant
             */
            code: "cursor-expired";
            /** @description The id of the request, as in x-request-id. Name it if you ask the operator. */
            requestId: string;
            /** @description The cursor that stands before the oldest event that is kept. */
            oldestCursor: string;
        };
        PreconditionFailedProblem: {
            /**
             * @description A URI for the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:precondition-failed";
            /** @description What happened; the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 412;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, for programs.
             * @constant
             */
            code: "precondition-failed";
            /** @description The id of the request, as in x-request-id. Name it if you ask the operator. */
            requestId: string;
        };
        BodyTooLargeProblem: {
            /**
             * @description A URI for the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:body-too-large";
            /** @description What happened; the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 413;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, for programs.
             * @constant
             */
            code: "body-too-large";
            /** @description The id of the request, as in x-request-id. Name it if you ask the operator. */
            requestId: string;
        };
        UnsupportedMediaTypeProblem: {
            /**
             * @description A URI for the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:unsupported-media-type";
            /** @description What happened; the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 415;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, for programs.
             * @constant
             */
            code: "unsupported-media-type";
            /** @description The id of the request, as in x-request-id. Name it if you ask the operator. */
            requestId: string;
        };
        RateLimitExceededProblem: {
            /**
             * @description A URI for the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:rate-limit-exceeded";
            /** @description What happened; the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 429;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, for programs. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "rate-limit-exceeded";
            /** @description The id of the request, as in x-request-id. Name it if you ask the operator. */
            requestId: string;
            /** @description The rate policy that refused the request. */
            policy: string;
            /** @description The rate-limit key: the requests that share the tokens. */
            counter: {
                /** @description The company. All of its API keys share the tokens. */
                companyId: string;
                /** @description The gateway in the path; absent if the path has none. */
                gatewayId?: string;
                /** @description The operation. */
                endpoint: string;
                /** @description The path with its ids, without the query. */
                path: string;
            };
            /** @description The numbers of the rate policy. */
            limit: {
                /**
                 * Format: int32
                 * @description The number of requests that a full bucket admits at once.
                 */
                burst: number;
                /**
                 * Format: int32
                 * @description The number of milliseconds from one token to the next.
                 */
                refillIntervalMs: number;
            };
            /**
             * Format: int32
             * @description The number of milliseconds until the next token. Retry-After says the same in whole seconds, rounded up.
             */
            retryAfterMs: number;
        };
        ThrottledProblem: {
            /**
             * @description A URI for the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:throttled";
            /** @description What happened; the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 429;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, for programs. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "throttled";
            /** @description The id of the request, as in x-request-id. Name it if you ask the operator. */
            requestId: string;
        };
        ConsentOutdatedProblem: {
            /**
             * @description A URI for the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:consent-outdated";
            /** @description What happened; the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 451;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, for programs.
             * @constant
             */
            code: "consent-outdated";
            /** @description The id of the request, as in x-request-id. Name it if you ask the operator. */
            requestId: string;
            /**
             * Format: int32
             * @description The consent version that the owner must accept.
             */
            requiredConsentVersion: number;
            /**
             * Format: int32
             * @description The consent version that the owner accepted last; null if there is none.
             */
            acceptedConsentVersion: number | null;
            /**
             * Format: uri
             * @description Where the owner accepts the latest consent version.
             */
            portalUrl: string;
        };
        InternalErrorProblem: {
            /**
             * @description A URI for the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:internal-error";
            /** @description What happened; the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 500;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, for programs.
             * @constant
             */
            code: "internal-error";
            /** @description The id of the request, as in x-request-id. Name it if you ask the operator. */
            requestId: string;
        };
        ServiceUnavailableProblem: {
            /**
             * @description A URI for the kind of problem.
             * @constant
             */
            type: "urn:partner-api:problem:service-unavailable";
            /** @description What happened; the same for every occurrence. */
            title: string;
            /**
             * @description The HTTP status.
             * @constant
             */
            status: 503;
            /** @description What to do about it. */
            detail: string;
            /**
             * @description The kind of problem, for programs.
             * @constant
             */
            code: "service-unavailable";
            /** @description The id of the request, as in x-request-id. Name it if you ask the operator. */
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
                "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
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
                "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
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
                "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                "x-api-key-expires-at": components["headers"]["x-api-key-expires-at-optional"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy-optional"];
                RateLimit: components["headers"]["RateLimit-optional"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["SourceAddressNotAllowedProblem"] | components["schemas"]["CompanySuspendedProblem"];
            };
        };
        /** @description `contract-not-found`: The company has no contract. */
        "contract-not-found": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "x-api-version": components["headers"]["x-api-version"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
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
         * @description `api-key-limit-reached`: The company has the highest allowed number of valid keys.
         *
         *     `idempotency-key-spent`: The API key that this Idempotency-Key created was used or deleted.
         */
        "api-key-limit-reached.idempotency-key-spent": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "x-api-version": components["headers"]["x-api-version"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
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
                "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
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
                "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
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
                "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
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
                "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
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
         * @description `api-key-not-found`: The API key does not exist.
         *
         *     `contract-not-found`: The company has no contract.
         */
        "api-key-not-found.contract-not-found": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "x-api-version": components["headers"]["x-api-version"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
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
                "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                "x-api-key-expires-at": components["headers"]["x-api-key-expires-at-optional"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy-optional"];
                RateLimit: components["headers"]["RateLimit-optional"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["ApiKeyInUseProblem"];
            };
        };
        /** @description `cursor-expired`: Events after the cursor are kept no longer. */
        "cursor-expired": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "x-api-version": components["headers"]["x-api-version"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                "x-api-key-expires-at": components["headers"]["x-api-key-expires-at-optional"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy-optional"];
                RateLimit: components["headers"]["RateLimit-optional"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["CursorExpiredProblem"];
            };
        };
        /**
         * @description `source-address-not-allowed`: The source address is not allowed.
         *
         *     `company-suspended`: The company is suspended.
         *
         *     `contract-not-active`: The contract is not active.
         *
         *     `webhook-host-not-registered`: The host of the URL is not registered for the company.
         */
        "source-address-not-allowed.company-suspended.contract-not-active.webhook-host-not-registered": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "x-api-version": components["headers"]["x-api-version"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                "x-api-key-expires-at": components["headers"]["x-api-key-expires-at-optional"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy-optional"];
                RateLimit: components["headers"]["RateLimit-optional"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["SourceAddressNotAllowedProblem"] | components["schemas"]["CompanySuspendedProblem"] | components["schemas"]["ContractNotActiveProblem"] | components["schemas"]["WebhookHostNotRegisteredProblem"];
            };
        };
        /** @description `webhook-limit-reached`: The company has the highest allowed number of webhooks. */
        "webhook-limit-reached": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "x-api-version": components["headers"]["x-api-version"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                "x-api-key-expires-at": components["headers"]["x-api-key-expires-at-optional"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy-optional"];
                RateLimit: components["headers"]["RateLimit-optional"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["WebhookLimitReachedProblem"];
            };
        };
        /** @description `unsupported-media-type`: The media type is not supported. */
        "unsupported-media-type": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "x-api-version": components["headers"]["x-api-version"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
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
         * @description `contract-not-found`: The company has no contract.
         *
         *     `webhook-not-found`: The webhook does not exist.
         */
        "contract-not-found.webhook-not-found": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "x-api-version": components["headers"]["x-api-version"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                "x-api-key-expires-at": components["headers"]["x-api-key-expires-at-optional"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy-optional"];
                RateLimit: components["headers"]["RateLimit-optional"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["ContractNotFoundProblem"] | components["schemas"]["WebhookNotFoundProblem"];
            };
        };
        /**
         * @description `source-address-not-allowed`: The source address is not allowed.
         *
         *     `company-suspended`: The company is suspended.
         *
         *     `contract-not-active`: The contract is not active.
         */
        "source-address-not-allowed.company-suspended.contract-not-active": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "x-api-version": components["headers"]["x-api-version"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                "x-api-key-expires-at": components["headers"]["x-api-key-expires-at-optional"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy-optional"];
                RateLimit: components["headers"]["RateLimit-optional"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["SourceAddressNotAllowedProblem"] | components["schemas"]["CompanySuspendedProblem"] | components["schemas"]["ContractNotActiveProblem"];
            };
        };
        /** @description `webhook-code-mismatch`: The code is not the one that the webhook waits for. */
        "webhook-code-mismatch": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "x-api-version": components["headers"]["x-api-version"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                "x-api-key-expires-at": components["headers"]["x-api-key-expires-at-optional"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy-optional"];
                RateLimit: components["headers"]["RateLimit-optional"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["WebhookCodeMismatchProblem"];
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
                "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
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
                "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                "x-api-key-expires-at": components["headers"]["x-api-key-expires-at-optional"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy-optional"];
                RateLimit: components["headers"]["RateLimit-optional"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["SourceAddressNotAllowedProblem"] | components["schemas"]["CompanySuspendedProblem"] | components["schemas"]["ContractNotActiveProblem"] | components["schemas"]["UserIdMismatchProblem"];
            };
        };
        /** @description `consent-outdated`: The owner has not accepted the latest consent version. */
        "consent-outdated": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "x-api-version": components["headers"]["x-api-version"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
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
                "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
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
         * @description `contract-not-found`: The company has no contract.
         *
         *     `circuit-not-found`: The circuit does not exist.
         */
        "contract-not-found.circuit-not-found": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "x-api-version": components["headers"]["x-api-version"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
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
                "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
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
        /** @description `precondition-failed`: The resource has changed since you read it. */
        "precondition-failed": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "x-api-version": components["headers"]["x-api-version"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                "x-api-key-expires-at": components["headers"]["x-api-key-expires-at-optional"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy-optional"];
                RateLimit: components["headers"]["RateLimit-optional"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["PreconditionFailedProblem"];
            };
        };
        /**
         * @description `contract-not-found`: The company has no contract.
         *
         *     `circuit-not-found`: The circuit does not exist.
         *
         *     `time-program-not-found`: The time program does not exist.
         */
        "contract-not-found.circuit-not-found.time-program-not-found": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "x-api-version": components["headers"]["x-api-version"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                "x-api-key-expires-at": components["headers"]["x-api-key-expires-at-optional"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy-optional"];
                RateLimit: components["headers"]["RateLimit-optional"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["ContractNotFoundProblem"] | components["schemas"]["CircuitNotFoundProblem"] | components["schemas"]["TimeProgramNotFoundProblem"];
            };
        };
        /** @description `route-not-found`: The operation does not exist. */
        "route-not-found": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "x-api-version": components["headers"]["x-api-version"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
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
        /** @description The id of the request. Name it if you ask the operator. */
        "x-request-id": string;
        /** @description The version of the API. The minor version grows with every additive change. */
        "x-api-version": string;
        /** @description No cache may keep an answer. */
        "Cache-Control": "no-store";
        /** @description A browser may reach this host by HTTPS only, for a year. */
        "Strict-Transport-Security": "max-age=31536000";
        /** @description The content is what Content-Type says. */
        "X-Content-Type-Options": "nosniff";
        /** @description When the key in use expires, UTC. Every answer to an authenticated request has it. */
        "x-api-key-expires-at": string;
        /** @description When the key in use expires, UTC. Every answer to an authenticated request has it. */
        "x-api-key-expires-at-optional": string;
        /** @description The rate policy of the operation: q requests at once, w seconds until an empty bucket is full. Every answer to an authenticated request has it. */
        "RateLimit-Policy": string;
        /** @description The rate policy of the operation: q requests at once, w seconds until an empty bucket is full. Every answer to an authenticated request has it. */
        "RateLimit-Policy-optional": string;
        /** @description The state of the token bucket: r requests are left now, and one more comes in t seconds. Every answer to an authenticated request has it. */
        RateLimit: string;
        /** @description The state of the token bucket: r requests are left now, and one more comes in t seconds. Every answer to an authenticated request has it. */
        "RateLimit-optional": string;
        /** @description The version in the answer. Send it as If-Match with a change. */
        ETag: string;
        /** @description The path of the created resource. */
        Location: string;
        /** @description How many seconds to wait until the next read, if no more events follow. */
        "x-poll-interval": number;
        /** @description Whole seconds, at least 1. After this time the service does not refuse the request for the same cause again. Absent if nobody knows the time. */
        "Retry-After": number;
        /** @description Whole seconds, at least 1. After this time the service does not refuse the request for the same cause again. Absent if nobody knows the time. */
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
                /** @description The number of items on a page; 50 if absent. */
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
            /** @description The current state. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-api-version": components["headers"]["x-api-version"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
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
                /** @description One value of 1 to 255 visible ASCII characters, in quotes or bare. Take at least 128 random bits, for example `"4f9b0c6d2e8a417fb35d90c1e6a7283b"`: whoever has the API key and the value can repeat the request. A repeat with the same value and the same API key within 24 hours gives the same answer again, until the first use of the key that it shows. */
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
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
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
            /** @description The current state. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-api-version": components["headers"]["x-api-version"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
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
                 * @description The id of the key. It is the part of the key that is not secret. Case matters.
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
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
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
            /** @description The current state. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-api-version": components["headers"]["x-api-version"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
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
    listEvents: {
        parameters: {
            query?: {
                /** @description The number of events that are looked at, withheld ones included; 50 if absent. */
                limit?: number;
                /** @description The `nextCursor` of the page before, unchanged; or `latest`, to get only a cursor that stands behind the newest event. If absent, the page begins with the oldest event that is kept. */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The current state. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-api-version": components["headers"]["x-api-version"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "x-api-key-expires-at": components["headers"]["x-api-key-expires-at"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "x-poll-interval": components["headers"]["x-poll-interval"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FeedEventPage"];
                };
            };
            400: components["responses"]["invalid-request"];
            401: components["responses"]["api-key-missing.api-key-invalid.api-key-expired"];
            403: components["responses"]["source-address-not-allowed.company-suspended"];
            404: components["responses"]["contract-not-found"];
            410: components["responses"]["cursor-expired"];
            413: components["responses"]["body-too-large"];
            429: components["responses"]["rate-limit-exceeded.throttled"];
            500: components["responses"]["internal-error"];
            503: components["responses"]["service-unavailable"];
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                /** @description The number of items on a page; 50 if absent. */
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
            /** @description The current state. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-api-version": components["headers"]["x-api-version"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "x-api-key-expires-at": components["headers"]["x-api-key-expires-at"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookPage"];
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
    createWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 32768 bytes. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://hooks.acme.example/heating"
                 *     }
                 */
                "application/json": components["schemas"]["WebhookCreation"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-api-version": components["headers"]["x-api-version"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "x-api-key-expires-at": components["headers"]["x-api-key-expires-at"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookCreated"];
                };
            };
            400: components["responses"]["invalid-request"];
            401: components["responses"]["api-key-missing.api-key-invalid.api-key-expired"];
            403: components["responses"]["source-address-not-allowed.company-suspended.contract-not-active.webhook-host-not-registered"];
            404: components["responses"]["contract-not-found"];
            409: components["responses"]["webhook-limit-reached"];
            413: components["responses"]["body-too-large"];
            415: components["responses"]["unsupported-media-type"];
            429: components["responses"]["rate-limit-exceeded.throttled"];
            500: components["responses"]["internal-error"];
            503: components["responses"]["service-unavailable"];
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the webhook. Each poke names it. Case matters.
                 * @example wh_6mQ2cX0yVb9TzL4pRk7WsE
                 */
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The current state. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-api-version": components["headers"]["x-api-version"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "x-api-key-expires-at": components["headers"]["x-api-key-expires-at"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["invalid-request"];
            401: components["responses"]["api-key-missing.api-key-invalid.api-key-expired"];
            403: components["responses"]["source-address-not-allowed.company-suspended"];
            404: components["responses"]["contract-not-found.webhook-not-found"];
            413: components["responses"]["body-too-large"];
            429: components["responses"]["rate-limit-exceeded.throttled"];
            500: components["responses"]["internal-error"];
            503: components["responses"]["service-unavailable"];
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the webhook. Each poke names it. Case matters.
                 * @example wh_6mQ2cX0yVb9TzL4pRk7WsE
                 */
                webhookId: string;
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
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
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
            404: components["responses"]["contract-not-found.webhook-not-found"];
            413: components["responses"]["body-too-large"];
            429: components["responses"]["rate-limit-exceeded.throttled"];
            500: components["responses"]["internal-error"];
            503: components["responses"]["service-unavailable"];
        };
    };
    verifyWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the webhook. Each poke names it. Case matters.
                 * @example wh_6mQ2cX0yVb9TzL4pRk7WsE
                 */
                webhookId: string;
            };
            cookie?: never;
        };
        /** @description At most 32768 bytes. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "code": "2nYxQe7TzL4pRk7WsE6mQ2"
                 *     }
                 */
                "application/json": components["schemas"]["WebhookVerification"];
            };
        };
        responses: {
            /** @description The current state. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-api-version": components["headers"]["x-api-version"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "x-api-key-expires-at": components["headers"]["x-api-key-expires-at"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["invalid-request"];
            401: components["responses"]["api-key-missing.api-key-invalid.api-key-expired"];
            403: components["responses"]["source-address-not-allowed.company-suspended.contract-not-active"];
            404: components["responses"]["contract-not-found.webhook-not-found"];
            409: components["responses"]["webhook-code-mismatch"];
            413: components["responses"]["body-too-large"];
            415: components["responses"]["unsupported-media-type"];
            429: components["responses"]["rate-limit-exceeded.throttled"];
            500: components["responses"]["internal-error"];
            503: components["responses"]["service-unavailable"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the webhook. Each poke names it. Case matters.
                 * @example wh_6mQ2cX0yVb9TzL4pRk7WsE
                 */
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The current state. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-api-version": components["headers"]["x-api-version"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "x-api-key-expires-at": components["headers"]["x-api-key-expires-at"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookSecret"];
                };
            };
            400: components["responses"]["invalid-request"];
            401: components["responses"]["api-key-missing.api-key-invalid.api-key-expired"];
            403: components["responses"]["source-address-not-allowed.company-suspended"];
            404: components["responses"]["contract-not-found.webhook-not-found"];
            413: components["responses"]["body-too-large"];
            429: components["responses"]["rate-limit-exceeded.throttled"];
            500: components["responses"]["internal-error"];
            503: components["responses"]["service-unavailable"];
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the webhook. Each poke names it. Case matters.
                 * @example wh_6mQ2cX0yVb9TzL4pRk7WsE
                 */
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The current state. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-api-version": components["headers"]["x-api-version"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "x-api-key-expires-at": components["headers"]["x-api-key-expires-at"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookTest"];
                };
            };
            400: components["responses"]["invalid-request"];
            401: components["responses"]["api-key-missing.api-key-invalid.api-key-expired"];
            403: components["responses"]["source-address-not-allowed.company-suspended.contract-not-active"];
            404: components["responses"]["contract-not-found.webhook-not-found"];
            413: components["responses"]["body-too-large"];
            429: components["responses"]["rate-limit-exceeded.throttled"];
            500: components["responses"]["internal-error"];
            503: components["responses"]["service-unavailable"];
        };
    };
    listGateways: {
        parameters: {
            query?: {
                /** @description The number of items on a page; 50 if absent. */
                limit?: number;
                /** @description The `nextCursor` of the page before, unchanged. */
                cursor?: string;
            };
            header: {
                /**
                 * @description The `userId` that getContract shows. It names the owner on whose behalf the request acts.
                 * @example owner-4711
                 */
                "x-user-id": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The current state. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-api-version": components["headers"]["x-api-version"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
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
                 * @description The `userId` that getContract shows. It names the owner on whose behalf the request acts.
                 * @example owner-4711
                 */
                "x-user-id": string;
            };
            path: {
                /**
                 * @description The id of a gateway, which connects an appliance to the service. Case matters.
                 * @example gw-1001
                 */
                gatewayId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The current state. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-api-version": components["headers"]["x-api-version"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
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
                /** @description The number of items on a page; 50 if absent. */
                limit?: number;
                /** @description The `nextCursor` of the page before, unchanged. */
                cursor?: string;
            };
            header: {
                /**
                 * @description The `userId` that getContract shows. It names the owner on whose behalf the request acts.
                 * @example owner-4711
                 */
                "x-user-id": string;
            };
            path: {
                /**
                 * @description The id of a gateway, which connects an appliance to the service. Case matters.
                 * @example gw-1001
                 */
                gatewayId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The current state. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-api-version": components["headers"]["x-api-version"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
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
                 * @description The `userId` that getContract shows. It names the owner on whose behalf the request acts.
                 * @example owner-4711
                 */
                "x-user-id": string;
            };
            path: {
                /**
                 * @description The id of a gateway, which connects an appliance to the service. Case matters.
                 * @example gw-1001
                 */
                gatewayId: string;
                /**
                 * @description The id of a circuit within its gateway and kind. Case matters.
                 * @example hc1
                 */
                circuitId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The current state. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-api-version": components["headers"]["x-api-version"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
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
                 * @description The `userId` that getContract shows. It names the owner on whose behalf the request acts.
                 * @example owner-4711
                 */
                "x-user-id": string;
                /**
                 * @description The ETag of the version that you read, for example `"7"`. If it has changed since, the service changes nothing. `*` stands for any version.
                 * @example *
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The id of a gateway, which connects an appliance to the service. Case matters.
                 * @example gw-1001
                 */
                gatewayId: string;
                /**
                 * @description The id of a circuit within its gateway and kind. Case matters.
                 * @example hc1
                 */
                circuitId: string;
            };
            cookie?: never;
        };
        /** @description At most 32768 bytes. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "operationMode": "auto",
                 *       "roomSetpointCelsius": 22
                 *     }
                 */
                "application/json": components["schemas"]["HeatingCircuitUpdate"];
            };
        };
        responses: {
            /** @description The requested change is stored; the body shows it. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-api-version": components["headers"]["x-api-version"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
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
                /** @description The number of items on a page; 50 if absent. */
                limit?: number;
                /** @description The `nextCursor` of the page before, unchanged. */
                cursor?: string;
            };
            header: {
                /**
                 * @description The `userId` that getContract shows. It names the owner on whose behalf the request acts.
                 * @example owner-4711
                 */
                "x-user-id": string;
            };
            path: {
                /**
                 * @description The id of a gateway, which connects an appliance to the service. Case matters.
                 * @example gw-1001
                 */
                gatewayId: string;
                /**
                 * @description The id of a circuit within its gateway and kind. Case matters.
                 * @example hc1
                 */
                circuitId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The current state. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-api-version": components["headers"]["x-api-version"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
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
                 * @description The `userId` that getContract shows. It names the owner on whose behalf the request acts.
                 * @example owner-4711
                 */
                "x-user-id": string;
            };
            path: {
                /**
                 * @description The id of a gateway, which connects an appliance to the service. Case matters.
                 * @example gw-1001
                 */
                gatewayId: string;
                /**
                 * @description The id of a circuit within its gateway and kind. Case matters.
                 * @example hc1
                 */
                circuitId: string;
                /**
                 * @description The id of a time program within its circuit. Case matters.
                 * @example 1
                 */
                timeProgramId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The current state. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-api-version": components["headers"]["x-api-version"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
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
                 * @description The `userId` that getContract shows. It names the owner on whose behalf the request acts.
                 * @example owner-4711
                 */
                "x-user-id": string;
                /**
                 * @description The ETag of the version that you read, for example `"7"`. If it has changed since, the service changes nothing. `*` stands for any version.
                 * @example *
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The id of a gateway, which connects an appliance to the service. Case matters.
                 * @example gw-1001
                 */
                gatewayId: string;
                /**
                 * @description The id of a circuit within its gateway and kind. Case matters.
                 * @example hc1
                 */
                circuitId: string;
                /**
                 * @description The id of a time program within its circuit. Case matters.
                 * @example 1
                 */
                timeProgramId: string;
            };
            cookie?: never;
        };
        /** @description At most 32768 bytes. */
        requestBody: {
            content: {
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
                "application/json": components["schemas"]["HeatingTimeProgramUpdate"];
            };
        };
        responses: {
            /** @description The requested change is stored; the body shows it. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-api-version": components["headers"]["x-api-version"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
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
                /** @description The number of items on a page; 50 if absent. */
                limit?: number;
                /** @description The `nextCursor` of the page before, unchanged. */
                cursor?: string;
            };
            header: {
                /**
                 * @description The `userId` that getContract shows. It names the owner on whose behalf the request acts.
                 * @example owner-4711
                 */
                "x-user-id": string;
            };
            path: {
                /**
                 * @description The id of a gateway, which connects an appliance to the service. Case matters.
                 * @example gw-1001
                 */
                gatewayId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The current state. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-api-version": components["headers"]["x-api-version"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
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
                 * @description The `userId` that getContract shows. It names the owner on whose behalf the request acts.
                 * @example owner-4711
                 */
                "x-user-id": string;
            };
            path: {
                /**
                 * @description The id of a gateway, which connects an appliance to the service. Case matters.
                 * @example gw-1001
                 */
                gatewayId: string;
                /**
                 * @description The id of a circuit within its gateway and kind. Case matters.
                 * @example dhw1
                 */
                circuitId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The current state. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-api-version": components["headers"]["x-api-version"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
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
                 * @description The `userId` that getContract shows. It names the owner on whose behalf the request acts.
                 * @example owner-4711
                 */
                "x-user-id": string;
                /**
                 * @description The ETag of the version that you read, for example `"7"`. If it has changed since, the service changes nothing. `*` stands for any version.
                 * @example *
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The id of a gateway, which connects an appliance to the service. Case matters.
                 * @example gw-1001
                 */
                gatewayId: string;
                /**
                 * @description The id of a circuit within its gateway and kind. Case matters.
                 * @example dhw1
                 */
                circuitId: string;
            };
            cookie?: never;
        };
        /** @description At most 32768 bytes. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "waterSetpointCelsius": 55
                 *     }
                 */
                "application/json": components["schemas"]["DhwCircuitUpdate"];
            };
        };
        responses: {
            /** @description The requested change is stored; the body shows it. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-api-version": components["headers"]["x-api-version"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
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
                /** @description The number of items on a page; 50 if absent. */
                limit?: number;
                /** @description The `nextCursor` of the page before, unchanged. */
                cursor?: string;
            };
            header: {
                /**
                 * @description The `userId` that getContract shows. It names the owner on whose behalf the request acts.
                 * @example owner-4711
                 */
                "x-user-id": string;
            };
            path: {
                /**
                 * @description The id of a gateway, which connects an appliance to the service. Case matters.
                 * @example gw-1001
                 */
                gatewayId: string;
                /**
                 * @description The id of a circuit within its gateway and kind. Case matters.
                 * @example dhw1
                 */
                circuitId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The current state. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-api-version": components["headers"]["x-api-version"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
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
                 * @description The `userId` that getContract shows. It names the owner on whose behalf the request acts.
                 * @example owner-4711
                 */
                "x-user-id": string;
            };
            path: {
                /**
                 * @description The id of a gateway, which connects an appliance to the service. Case matters.
                 * @example gw-1001
                 */
                gatewayId: string;
                /**
                 * @description The id of a circuit within its gateway and kind. Case matters.
                 * @example dhw1
                 */
                circuitId: string;
                /**
                 * @description The id of a time program within its circuit. Case matters.
                 * @example 1
                 */
                timeProgramId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The current state. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-api-version": components["headers"]["x-api-version"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
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
                 * @description The `userId` that getContract shows. It names the owner on whose behalf the request acts.
                 * @example owner-4711
                 */
                "x-user-id": string;
                /**
                 * @description The ETag of the version that you read, for example `"7"`. If it has changed since, the service changes nothing. `*` stands for any version.
                 * @example *
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The id of a gateway, which connects an appliance to the service. Case matters.
                 * @example gw-1001
                 */
                gatewayId: string;
                /**
                 * @description The id of a circuit within its gateway and kind. Case matters.
                 * @example dhw1
                 */
                circuitId: string;
                /**
                 * @description The id of a time program within its circuit. Case matters.
                 * @example 1
                 */
                timeProgramId: string;
            };
            cookie?: never;
        };
        /** @description At most 32768 bytes. */
        requestBody: {
            content: {
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
                "application/json": components["schemas"]["DhwTimeProgramUpdate"];
            };
        };
        responses: {
            /** @description The requested change is stored; the body shows it. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "x-api-version": components["headers"]["x-api-version"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
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
