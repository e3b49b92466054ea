import type { Module } from "@purse/kernel";
import { analytics } from "./modules/analytics/index.ts";
import { apiKeys } from "./modules/apiKeys/index.ts";
import { chainEvents } from "./modules/chainEvents/index.ts";
import { files } from "./modules/files/index.ts";
import { globalConfig } from "./modules/globalConfig/index.ts";
import { graphql } from "./modules/graphql/index.ts";
import { images } from "./modules/images/index.ts";
import { ipfs } from "./modules/ipfs/index.ts";
import { jobs } from "./modules/jobs/index.ts";
import { logs } from "./modules/logs/index.ts";
import { mail } from "./modules/mail/index.ts";
import { mcp } from "./modules/mcp/index.ts";
import { migrations } from "./modules/migrations/index.ts";
import { purchases } from "./modules/purchases/index.ts";
import { push } from "./modules/push/index.ts";
import { security } from "./modules/security/index.ts";
import { streams } from "./modules/streams/index.ts";
import { webhooks } from "./modules/webhooks/index.ts";

/** The modules of the server. */
export const MODULES: readonly Module[] = [
  analytics,
  apiKeys,
  chainEvents,
  files,
  globalConfig,
  graphql,
  images,
  ipfs,
  jobs,
  logs,
  mail,
  mcp,
  migrations,
  purchases,
  push,
  security,
  streams,
  webhooks,
];
