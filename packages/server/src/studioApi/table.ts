import { accessEndpoints } from "./access.ts";
import { apiKeyEndpoints } from "./apiKeys.ts";
import { backupEndpoints } from "./backups.ts";
import { chainEndpoints } from "./chains.ts";
import { codeEndpoints } from "./code.ts";
import { consoleEndpoints } from "./console.ts";
import { dataEndpoints } from "./data.ts";
import { deliveryEndpoints } from "./deliveries.ts";
import type { Endpoint } from "./endpoint.ts";
import { fileEndpoints } from "./files.ts";
import { configEndpoints } from "./globalConfig.ts";
import { jobEndpoints } from "./jobs.ts";
import { logEndpoints } from "./logs.ts";
import { mailEndpoints } from "./mails.ts";
import { overviewEndpoints } from "./overview.ts";
import { permissionEndpoints } from "./permissions.ts";
import { pinEndpoints } from "./pins.ts";
import { pushEndpoints } from "./push.ts";
import { schemaEndpoints } from "./schema.ts";
import { securityEndpoints } from "./security.ts";
import { streamEndpoints } from "./streams.ts";
import { viewEndpoints } from "./views.ts";
import { webhookCallEndpoints, webhookEndpoints } from "./webhooks.ts";

/** Endpoints by the headings of the documentation. */
export const STUDIO_ENDPOINTS = {
  "Sessions and operators": accessEndpoints,
  Rows: dataEndpoints,
  "Saved views": viewEndpoints,
  Classes: schemaEndpoints,
  Permissions: { ...permissionEndpoints, ...securityEndpoints },
  "Functions, jobs, webhooks, logs": {
    ...codeEndpoints,
    ...jobEndpoints,
    ...webhookEndpoints,
    ...deliveryEndpoints,
    ...webhookCallEndpoints,
    ...logEndpoints,
  },
  "API console": consoleEndpoints,
  "Push and config": { ...pushEndpoints, ...configEndpoints },
  Email: mailEndpoints,
  "Files and IPFS": { ...fileEndpoints, ...pinEndpoints },
  "Chains and API keys": { ...chainEndpoints, ...apiKeyEndpoints },
  Streams: streamEndpoints,
  Metrics: overviewEndpoints,
  Backups: backupEndpoints,
};

type Sections = typeof STUDIO_ENDPOINTS;

/** Any endpoint of the table. */
export type StudioEndpoint = {
  [Section in keyof Sections]: Sections[Section][keyof Sections[Section]];
}[keyof Sections];

/** All endpoints by section. */
export function studioEndpoints(): { section: string; endpoint: Endpoint }[] {
  return Object.entries(STUDIO_ENDPOINTS).flatMap(([section, endpoints]) =>
    Object.values<Endpoint>(endpoints).map((endpoint) => ({ section, endpoint })),
  );
}
