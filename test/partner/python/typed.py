"""Checked by mypy and never run: each line is correct, or has the error that its comment ignores."""

from typing import Optional

from partner_api_client import (
    Answer,
    FeedEvent,
    PartnerClient,
    ProblemError,
    measurement_of,
    settings_of,
    types,
    verify_webhook_message,
)

client = PartnerClient("https://api.example.com/v1", "key")


def answers_have_types() -> None:
    circuit: Answer[types.HeatingCircuit] = client.get_heating_circuit("gw", "hc1")
    setpoint: Optional[float] = circuit.body["roomSetpointCelsius"]
    print(setpoint, circuit.body["roomSetpoint"])  # type: ignore[typeddict-item]
    for gateway in client.iter_gateways(limit=2):
        print(gateway["gatewayId"], gateway["gatewayName"])  # type: ignore[typeddict-item]


def measurements_may_have_any_name() -> None:
    measurements = client.get_measurements("gw").body["measurements"]
    for name in ("outdoorTemperature", "fanSpeed"):
        found: Optional[types.Measurement] = measurement_of(measurements, name)
        print(found["value"])  # type: ignore[index]


def requests_have_types() -> None:
    client.update_heating_circuit("gw", "hc1", {"roomSetpointCelsius": 21.5}, if_match='"7"')
    client.update_heating_circuit("gw", "hc1", {"roomSetpoint": 21.5})  # type: ignore
    client.update_heating_circuit("gw", "hc1")  # type: ignore[call-arg]
    client.update_dhw_circuit("gw", "dhw1", settings_of(client.get_dhw_circuit("gw", "dhw1").body))
    client.update_dhw_circuit("gw", "dhw1", settings_of(client.get_heating_circuit("gw", "hc1").body))  # type: ignore[arg-type]
    client.get_gateway("gw", include="everything")  # type: ignore[arg-type]
    client.set_holiday("gw", {"from": "2036-03-10", "to": "2036-03-12", "roomSetpointCelsius": 15})


def events_have_the_data_of_their_type(event: FeedEvent) -> None:
    if event["type"] == "consent.changed":
        print(event["data"]["consent"]["upToDate"])
    elif event["type"] == "unknown-event":
        print(event["newType"])
    else:
        print(event["newType"])  # type: ignore[typeddict-item]


def problems_have_the_members_of_their_code(error: ProblemError) -> None:
    problem = error.problem
    if problem["code"] == "consent-outdated":
        print(problem["portalUrl"])
    elif problem["code"] == "cursor-expired":
        print(problem["portalUrl"])  # type: ignore[typeddict-item]


def messages_have_the_data_of_their_type() -> None:
    message = verify_webhook_message({}, b"", "")
    if message["type"] == "webhook.verify":
        client.verify_webhook(message["data"]["webhookId"], {"code": message["data"]["code"]})
    elif message["type"] == "events.available":
        print(message["data"]["code"])  # type: ignore[typeddict-item]
