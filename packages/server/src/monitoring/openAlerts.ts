import { statfs } from "node:fs/promises";
import type { ChainService, ChainStatus } from "@purse/chain";
import type { Lifecycle } from "@purse/kernel";
import { sendRequest } from "@purse/outbound";
import type { Config } from "../config/loadConfig.ts";
import type { EventBus } from "../core/eventBus.ts";
import type { Mail } from "../core/mail.ts";
import { signedHeaders } from "../core/webhookSignature.ts";
import { type Alert, type Alerts, type Condition, createAlerts } from "./alerts.ts";

/** The settings of alerts. */
type AlertConfig = Pick<
  Config,
  | "alertEmails"
  | "alertWebhookUrl"
  | "alertLagBlocks"
  | "alertFreeDiskPercent"
  | "appName"
  | "dataDir"
  | "webhookKey"
>;

export interface OpenAlertsDependencies {
  config: AlertConfig;
  events: EventBus;
  chain: Pick<ChainService, "status">;
  /** Undefined if email is not configured. */
  mailer: { send(mail: Mail): Promise<void> } | undefined;
  lifecycle: Lifecycle;
  report(error: unknown, activity: string): void;
}

const CHECK_INTERVAL_MS = 60_000;
const DEADLINE_MS = 10_000;
const MAX_BYTES = 64_000;

/** Alerts operators by email and webhook of failed jobs and webhooks, lagging indexes and full disks. */
export function openAlerts(dependencies: OpenAlertsDependencies): void {
  const { config, events, chain, lifecycle, report } = dependencies;
  if (config.alertEmails.length === 0 && config.alertWebhookUrl === undefined) return;
  const alerts = createAlerts({ deliver: (alert) => deliver(alert, dependencies), clock: Date.now, report });
  const stops = [
    events.on("job.failed", ({ name, message }) =>
      alerts.raise("job", name, `The job ${name} failed.`, message),
    ),
    events.on("webhook.failed", ({ name, message }) =>
      alerts.raise("webhook", name, `The webhook ${name} failed.`, message),
    ),
  ];
  const timer = setInterval(() => {
    checkStates(alerts, config, chain).catch((error: unknown) => report(error, "checking for alerts"));
  }, CHECK_INTERVAL_MS);
  timer.unref();
  lifecycle.onStop("alerts", async () => {
    clearInterval(timer);
    for (const stop of stops) stop();
    await alerts.flush();
  });
}

async function checkStates(
  alerts: Alerts,
  config: AlertConfig,
  chain: Pick<ChainService, "status">,
): Promise<void> {
  const { bavail, blocks } = await statfs(config.dataDir);
  alerts.check([
    diskCondition(config.dataDir, (bavail / blocks) * 100, config.alertFreeDiskPercent),
    ...chain.status().map((status) => indexCondition(status, config.alertLagBlocks)),
    ...chain.status().flatMap(nodeConditions),
  ]);
}

/** Whether less of the disk is free than `minimum`, both in percent. */
export function diskCondition(dataDir: string, free: number, minimum: number): Condition {
  return {
    kind: "disk",
    subject: dataDir,
    problem:
      free < minimum
        ? { title: "The disk is nearly full.", details: `${free.toFixed(1)} % of ${dataDir} are free.` }
        : undefined,
  };
}

/** Titles of the states in which an index gets no further. */
const PROBLEMS: Partial<Record<ChainStatus["state"], (name: string) => string>> = {
  stalled: (name) => `${name} stands still.`,
  unreachable: (name) => `No node of ${name} responds.`,
  refused: (name) => `The nodes of ${name} are rejected.`,
  stopped: (name) => `${name} is no longer indexed.`,
};

/**
 * Whether an index gets no further, its database cannot be reached, or it is more than `maximum` blocks behind; never the
 * latter while the lag is unknown.
 */
export function indexCondition(
  {
    name,
    state,
    lag,
    error,
    isDatabaseUnavailable,
  }: Pick<ChainStatus, "name" | "state" | "lag" | "error" | "isDatabaseUnavailable">,
  maximum: number,
): Condition {
  const condition = { kind: "index", subject: name } as const;
  if (isDatabaseUnavailable) {
    const title = `The database of the index of ${name} is not available.`;
    return {
      ...condition,
      problem: { title, details: "Requests to the chain fail; the log has the reason." },
    };
  }
  const title = PROBLEMS[state]?.(name);
  if (title !== undefined) return { ...condition, problem: { title, details: error ?? "" } };
  if (lag === null || lag <= maximum) return { ...condition, problem: undefined };
  const problem = { title: `The index of ${name} is behind.`, details: `It lacks ${lag} blocks.` };
  return { ...condition, problem };
}

/** Whether one of several nodes of a chain cannot take the place of another one; a single one is a problem of its index. */
export function nodeConditions({ name, nodes }: Pick<ChainStatus, "name" | "nodes">): Condition[] {
  if (nodes.length < 2) return [];
  return nodes.map(({ host, state, head, error = "" }, i) => {
    // Several may have the same host.
    const condition = { kind: "node", subject: `${name} ${i + 1} (${host})` } as const;
    if (state === "refused")
      return { ...condition, problem: { title: `The node ${host} of ${name} is rejected.`, details: error } };
    if (state === "failing")
      return { ...condition, problem: { title: `The node ${host} of ${name} fails.`, details: error } };
    if (state !== "behind") return { ...condition, problem: undefined };
    const details = `It is at block ${head}; other nodes are further.`;
    return { ...condition, problem: { title: `The node ${host} of ${name} is behind.`, details } };
  });
}

async function deliver(alert: Alert, { config, mailer }: OpenAlertsDependencies): Promise<void> {
  const { alertEmails: emails, alertWebhookUrl: webhookUrl } = config;
  const text = [alert.title, alert.details, `${config.appName}, ${alert.at}`].filter(Boolean).join("\n\n");
  const results = await Promise.allSettled([
    ...emails.map(async (to) => {
      if (!mailer) throw new Error("PURSE_ALERT_EMAILS needs a mail server");
      await mailer.send({ to, subject: `[${config.appName}] ${alert.title}`, text });
    }),
    ...(webhookUrl === undefined ? [] : [post(webhookUrl, alert, config)]),
  ]);
  const failed = results.find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
}

async function post(url: string, alert: Alert, config: AlertConfig): Promise<void> {
  const body = JSON.stringify({ ...alert, app: config.appName });
  const { status } = await sendRequest({
    url,
    body,
    headers: signedHeaders(config.webhookKey, body, Date.now()),
    deadlineMs: DEADLINE_MS,
    maxBytes: MAX_BYTES,
    // The operator has chosen the address.
    allowPrivate: true,
  });
  if (status >= 300) throw new Error(`The alert webhook responded with ${status}.`);
}
