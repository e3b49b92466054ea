import type { StudioState } from "@purse/protocol";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import { TOTP } from "otpauth";
import type { Audit } from "../audit.ts";
import { clearCookie, setCookie } from "../cookie.ts";
import { parseRole } from "../operators.ts";
import { booleanParameter, optionalStringParameter, stringParameter } from "../parameters.ts";
import { json, requireSignedIn, type StudioRequest, type StudioRoute } from "../route.ts";
import type { SignIn, SignInDependencies } from "../signIn.ts";

export interface AccessDependencies extends SignInDependencies {
  signIn: SignIn;
  audit: Audit;
  /** The issuer shown by authenticator apps. */
  appName: string;
}

/** Routes for setup, sign-in and one's own account, and for other operators, their sessions, and the audit log. */
export function accessRoutes({
  store,
  operators,
  sessions,
  signIn,
  audit,
  appName,
}: AccessDependencies): StudioRoute[] {
  return [
    { method: "GET", path: "/state", needs: "nobody", handle: state },
    { method: "POST", path: "/setup", needs: "nobody", handle: setUp },
    { method: "POST", path: "/session", needs: "nobody", handle: createSession },
    { method: "DELETE", path: "/session", needs: "session", handle: endSession },
    { method: "GET", path: "/sessions", needs: "session", handle: ownSessions },
    { method: "DELETE", path: "/sessions", needs: "session", handle: endOthers },
    { method: "DELETE", path: "/sessions/:id", needs: "session", handle: endOne },
    { method: "PUT", path: "/password", needs: "session", handle: changePassword },
    { method: "POST", path: "/second-factor", needs: "session", handle: beginFactor },
    { method: "PUT", path: "/second-factor", needs: "session", handle: confirmFactor },
    { method: "DELETE", path: "/second-factor", needs: "session", handle: removeFactor },
    {
      method: "GET",
      path: "/operators",
      needs: "owner",
      handle: async () => json({ results: await operators.list() }),
    },
    { method: "POST", path: "/operators", needs: "owner", handle: add },
    { method: "PUT", path: "/operators/:id", needs: "owner", handle: change },
    { method: "DELETE", path: "/operators/:id", needs: "owner", handle: remove },
    { method: "GET", path: "/operators/:id/sessions", needs: "owner", handle: sessionsOf },
    { method: "DELETE", path: "/operators/:id/sessions", needs: "owner", handle: endSessionsOf },
    { method: "GET", path: "/audit", needs: "owner", handle: listAudit },
  ];

  async function state(request: StudioRequest) {
    return json(await stateOf(request));
  }

  async function stateOf({ signedIn }: StudioRequest): Promise<StudioState> {
    if (signedIn) return { state: "signedIn", operator: signedIn.operator, csrf: signedIn.session.csrf };
    return { state: (await operators.isEmpty()) ? "setup" : "signedOut" };
  }

  async function setUp(request: StudioRequest) {
    const { params, isSecure } = request;
    const input = {
      code: stringParameter(params, "code", 200),
      username: params.username,
      password: params.password,
    };
    const { operator, session } = await signIn.setUp(input, clientInfo(request));
    request.setAuditDetails({ target: operator.username, after: { role: operator.role } });
    const signedIn: StudioState = { state: "signedIn", operator, csrf: session.csrf };
    return json(signedIn, 201, setCookie(session.token, isSecure));
  }

  async function createSession(request: StudioRequest) {
    const { params, isSecure } = request;
    const input = {
      username: stringParameter(params, "username", 200),
      password: stringParameter(params, "password", 1_000),
      code: optionalStringParameter(params, "code", 100),
    };
    request.setAuditDetails({ target: input.username });
    const { operator, session } = await signIn.signIn(input, clientInfo(request));
    // An existing session of the browser ends, so that it cannot continue under another name.
    if (request.signedIn) await sessions.end(request.signedIn.operator.id, request.signedIn.session.id);
    const signedIn: StudioState = { state: "signedIn", operator, csrf: session.csrf };
    return json(signedIn, 201, setCookie(session.token, isSecure));
  }

  async function endSession(request: StudioRequest) {
    const { operator, session } = requireSignedIn(request);
    await sessions.end(operator.id, session.id);
    return json({}, 200, clearCookie(request.isSecure));
  }

  async function ownSessions(request: StudioRequest) {
    const { operator, session } = requireSignedIn(request);
    return json({ results: await sessions.list(operator.id, session.id) });
  }

  async function endOthers(request: StudioRequest) {
    const { operator, session } = requireSignedIn(request);
    await store.write(await sessions.endAll(operator.id, session.id));
    return {};
  }

  async function endOne(request: StudioRequest) {
    await sessions.end(requireSignedIn(request).operator.id, request.pathParams.id ?? "");
    return {};
  }

  async function changePassword(request: StudioRequest) {
    const { operator } = requireSignedIn(request);
    await signIn.assertPassword(
      operator,
      stringParameter(request.params, "password", 1_000),
      clientInfo(request),
    );
    await operators.setPassword(operator.id, request.params.newPassword, request.context);
    // All sessions end and this one gets a new token, which locks out anyone who knew an old one.
    const { session, writes } = sessions.create(operator.id, clientInfo(request));
    await store.write([...(await sessions.endAll(operator.id)), ...writes]);
    const signedIn: StudioState = { state: "signedIn", operator, csrf: session.csrf };
    return json(signedIn, 200, setCookie(session.token, request.isSecure));
  }

  async function beginFactor(request: StudioRequest) {
    const { operator } = requireSignedIn(request);
    await signIn.assertPassword(
      operator,
      stringParameter(request.params, "password", 1_000),
      clientInfo(request),
    );
    const secret = await operators.beginFactor(operator.id);
    const url = new TOTP({ issuer: `${appName} studio`, label: operator.username, secret }).toString();
    return { secret, url };
  }

  async function confirmFactor(request: StudioRequest) {
    const { operator, session } = requireSignedIn(request);
    const recoveryCodes = await signIn.confirmFactor(operator, request.params.code);
    await store.write(await sessions.endAll(operator.id, session.id));
    return { recoveryCodes };
  }

  async function removeFactor(request: StudioRequest) {
    const { operator } = requireSignedIn(request);
    await signIn.assertPassword(
      operator,
      stringParameter(request.params, "password", 1_000),
      clientInfo(request),
    );
    await signIn.removeFactor(operator, request.params.code);
    return {};
  }

  async function add(request: StudioRequest) {
    const { username, password, role } = request.params;
    const operator = await operators.add({ username, password, role }, false, request.context);
    request.setAuditDetails({ target: operator.username, after: { role: operator.role } });
    return json(operator, 201);
  }

  async function change(request: StudioRequest) {
    const { params, pathParams } = request;
    const before = await operators.require(pathParams.id ?? "");
    if (params.password !== undefined)
      await operators.setPassword(before.id, params.password, request.context);
    if (booleanParameter(params, "removeSecondFactor")) await operators.removeFactor(before.id);
    if (booleanParameter(params, "unlock")) await signIn.unlock(before.username);
    const changes = {
      ...(params.role !== undefined && { role: parseRole(params.role) }),
      ...(params.isDisabled !== undefined && { isDisabled: booleanParameter(params, "isDisabled") }),
    };
    const after =
      Object.keys(changes).length > 0
        ? await operators.change(before.id, changes)
        : await operators.require(before.id);
    const current = requireSignedIn(request);
    await store.write(
      await sessions.endAll(before.id, before.id === current.operator.id ? current.session.id : undefined),
    );
    request.setAuditDetails({ target: before.username, before: summarize(before), after: summarize(after) });
    return json(after);
  }

  async function remove(request: StudioRequest) {
    const id = request.pathParams.id ?? "";
    if (id === requireSignedIn(request).operator.id) {
      throw new ProtocolError(
        ErrorCode.VALIDATION_ERROR,
        "You cannot delete your own account: another owner has to do it.",
      );
    }
    const removed = await operators.remove(id);
    await store.write(await sessions.endAll(id));
    request.setAuditDetails({ target: removed.username, before: summarize(removed) });
    return {};
  }

  async function sessionsOf(request: StudioRequest) {
    const { session } = requireSignedIn(request);
    return json({ results: await sessions.list(request.pathParams.id ?? "", session.id) });
  }

  async function endSessionsOf(request: StudioRequest) {
    await store.write(
      await sessions.endAll(request.pathParams.id ?? "", requireSignedIn(request).session.id),
    );
    return {};
  }

  async function listAudit({ params }: StudioRequest) {
    const username = optionalStringParameter(params, "username");
    const action = optionalStringParameter(params, "action");
    const before = optionalStringParameter(params, "after");
    return json(
      await audit.list({
        ...(username !== undefined && { username }),
        ...(action !== undefined && { action }),
        ...(before !== undefined && { before }),
      }),
    );
  }
}

function clientInfo({ context, userAgent }: StudioRequest) {
  return { address: context.ip, userAgent };
}

function summarize({
  role,
  isDisabled,
  hasSecondFactor,
}: {
  role: string;
  isDisabled: boolean;
  hasSecondFactor: boolean;
}) {
  return { role, isDisabled, hasSecondFactor };
}
