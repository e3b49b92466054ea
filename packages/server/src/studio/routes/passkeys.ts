import type { StudioState } from "../../studioApi/access.ts";
import { accessEndpoints as endpoints } from "../../studioApi/access.ts";
import { sessionCookie } from "../cookie.ts";
import { type Requests, requireSignedIn, route, type StudioRequest, type StudioRoute } from "../route.ts";
import type { AccessDependencies } from "./access.ts";

type PasskeyRequests = Requests<typeof endpoints>;

/** Routes for signing in with passkeys, and for one's own passkeys. */
export function passkeyRoutes({ operators, sessions, signIn, passkeys }: AccessDependencies): StudioRoute[] {
  return [
    route(endpoints.passkeyOptions, options),
    route(endpoints.createPasskeySession, createSession),
    route(endpoints.passkeys, list),
    route(endpoints.passkeyRegistration, begin),
    route(endpoints.addPasskey, add),
    route(endpoints.renamePasskey, rename),
    route(endpoints.removePasskey, remove),
  ];

  async function options(request: PasskeyRequests["passkeyOptions"]) {
    return { options: await signIn.passkeyOptions(request.params.purpose, clientOf(request)) };
  }

  async function createSession(request: PasskeyRequests["createPasskeySession"]): Promise<StudioState> {
    const { operator, session } = await signIn.signInWithPasskey(request.params.passkey, clientOf(request));
    request.setAuditDetails({ target: operator.username });
    // An existing session of the browser ends, so that it cannot continue under another name.
    if (request.signedIn) await sessions.end(request.signedIn.operator.id, request.signedIn.session.id);
    request.setCookie(sessionCookie(session.token, request.isSecure));
    return { state: "signedIn", operator, csrf: session.csrf };
  }

  async function list(request: StudioRequest) {
    return { results: await passkeys.list(requireSignedIn(request).operator.id) };
  }

  async function begin(request: PasskeyRequests["passkeyRegistration"]) {
    const operator = await operators.require(requireSignedIn(request).operator.id);
    await signIn.assertIdentity(operator, request.params, clientOf(request));
    return { options: await passkeys.registrationOptions(operator) };
  }

  async function add(request: PasskeyRequests["addPasskey"]) {
    const { credential, name } = request.params;
    const passkey = await passkeys.register(requireSignedIn(request).operator.id, credential, name);
    request.setAuditDetails({ target: passkey.name });
    return passkey;
  }

  async function rename(request: PasskeyRequests["renamePasskey"]) {
    const { operator } = requireSignedIn(request);
    request.setAuditDetails({ target: request.params.name });
    return passkeys.rename(operator.id, request.pathParams.id, request.params.name);
  }

  async function remove(request: PasskeyRequests["removePasskey"]) {
    const { operator } = requireSignedIn(request);
    await signIn.assertPassword(operator, request.params.password, clientOf(request));
    request.setAuditDetails({ target: await passkeys.remove(operator.id, request.pathParams.id) });
    return {};
  }
}

function clientOf({ context, userAgent }: StudioRequest) {
  return { address: context.ip, userAgent };
}
