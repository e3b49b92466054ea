import type { JsonObject } from "@purse/protocol";
import { type StudioRole, studioEndpoints } from "@purse/server/studio-api";
import type { BrowserContext, Page } from "playwright-core";
import type { Purse } from "./purse.ts";
import { send } from "./send.ts";
import { until } from "./until.ts";

export interface StudioAnswer {
  status: number;
  body: JsonObject;
  headers: Headers;
  text: string;
}

/** A client of the admin API, with its cookie and CSRF token. */
export class StudioClient {
  readonly purse: Purse;
  cookie: string | undefined;
  csrf: string | undefined;

  constructor(purse: Purse) {
    this.purse = purse;
  }

  async request(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<StudioAnswer> {
    const response = await send(`${this.purse.url}/studio/api${path}`, {
      method,
      headers: {
        ...(method !== "GET" && { "content-type": "application/json" }),
        ...(this.cookie !== undefined && { cookie: this.cookie }),
        ...(this.csrf !== undefined && { "x-purse-csrf": this.csrf }),
        ...headers,
      },
      body: method === "GET" ? undefined : JSON.stringify(body ?? {}),
    });
    const { text } = response;
    const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
    const answer = {
      status: response.status,
      body: isJson ? JSON.parse(text) : {},
      headers: response.headers,
      text,
    };
    if (isJson && response.status < 300) assertDescribed(method, path, answer.body);
    const set = response.headers.get("set-cookie");
    if (set !== null) this.cookie = /Max-Age=0/.test(set) ? undefined : set.split(";", 1)[0];
    if (typeof answer.body.csrf === "string") this.csrf = answer.body.csrf;
    return answer;
  }

  signIn(username: string, password: string, code?: string): Promise<StudioAnswer> {
    return this.request("POST", "/session", { username, password, ...(code !== undefined && { code }) });
  }
}

/** Throws Error unless the response is one that the table of endpoints describes. */
function assertDescribed(method: string, path: string, body: unknown): void {
  const [pathname = ""] = path.split("?", 1);
  const candidates = studioEndpoints().filter(
    ({ endpoint }) =>
      endpoint.method === method && new RegExp(`^${endpoint.path.replace(/:\w+/g, "[^/]+")}$`).test(pathname),
  );
  // A literal path takes precedence over one with parameters.
  const found = candidates.find(({ endpoint }) => endpoint.path === pathname) ?? candidates[0];
  if (!found) throw new Error(`${method} ${path} is not in the table of endpoints`);
  if (found.endpoint.streams) return;
  const { error } = found.endpoint.response.safeParse(body);
  if (error) throw new Error(`The response of ${method} ${path} is not as described: ${error.message}`);
}

export const STUDIO_PASSWORD = "correct horse battery";

/** The setup code, which the server logs after its start. */
export async function setUpCode(purse: Purse): Promise<string> {
  return until(() => /studio#setup=([\w-]+)/.exec(purse.output())?.[1], {
    otherwise: () => `No setup code in:\n${purse.output()}`,
  });
}

/** Sets up a new server; returns its signed-in owner. */
export async function setUpStudio(purse: Purse): Promise<StudioClient> {
  const owner = new StudioClient(purse);
  const { status, text } = await owner.request("POST", "/setup", {
    code: await setUpCode(purse),
    username: "ada",
    password: STUDIO_PASSWORD,
  });
  if (status !== 201) throw new Error(`Setup answered ${status}: ${text}`);
  return owner;
}

/** Adds and signs in an operator. */
export async function addOperator(
  owner: StudioClient,
  username: string,
  role: StudioRole,
): Promise<StudioClient> {
  const { status, text } = await owner.request("POST", "/operators", {
    username,
    password: STUDIO_PASSWORD,
    role,
  });
  if (status !== 201) throw new Error(`Adding ${username} answered ${status}: ${text}`);
  const client = new StudioClient(owner.purse);
  await client.signIn(username, STUDIO_PASSWORD);
  return client;
}

/** Signs in an operator on the sign-in page. */
export async function signInToStudio(page: Page, purse: Purse, username: string, path = ""): Promise<void> {
  await page.goto(`${purse.url}/studio${path}`);
  await enterPassword(page, username);
}

async function enterPassword(page: Page, username: string): Promise<void> {
  await page.getByLabel("Username").fill(username);
  await page.getByRole("textbox", { name: "Password", exact: true }).fill(STUDIO_PASSWORD);
  await page.getByRole("button", { name: "Sign in" }).click();
  await operatorMenu(page, username).waitFor();
}

/** The menu of a signed-in operator, also behind a dialog, such as the panel of the row that the path names. */
const operatorMenu = (page: Page, username: string) =>
  page.getByRole("button", { name: `Operator ${username}`, includeHidden: true });

/** The cookies of operators that have signed in, by server and name. */
const sessions = new Map<string, Cookies>();
type Cookies = Parameters<BrowserContext["addCookies"]>[0];

/** The cookies of an operator who signs in without a page; none if the password does not suffice. */
export async function sessionCookies(purse: Purse, username: string): Promise<Cookies> {
  const client = new StudioClient(purse);
  await client.signIn(username, STUDIO_PASSWORD);
  if (client.cookie === undefined) return [];
  const [name = "", value = ""] = client.cookie.split("=", 2);
  const domain = new URL(purse.url).hostname;
  return [{ name, value, domain, path: "/studio", httpOnly: true, sameSite: "Strict" }];
}

/** Opens a page with an earlier session of an operator, who signs in on the page after its end. */
export async function openStudio(page: Page, purse: Purse, username: string, path = ""): Promise<void> {
  const key = `${purse.dataDir} ${username}`;
  const cookies = sessions.get(key) ?? (await sessionCookies(purse, username));
  sessions.set(key, cookies);
  await page.context().addCookies(cookies);
  await page.goto(`${purse.url}/studio${path}`);
  const menu = operatorMenu(page, username);
  await menu
    .or(page.getByRole("button", { name: "Sign in" }))
    .first()
    .waitFor();
  if (await menu.isVisible()) return;
  await enterPassword(page, username);
  sessions.set(key, await page.context().cookies());
}
