import { setting } from "@purse/kernel";
import { parseRoles, ROLES } from "../processRoles.ts";
import {
  addresses,
  countOrAuto,
  integer,
  list,
  oneOf,
  secret,
  serverUrl,
  settingGroup,
  text,
} from "../settingTypes.ts";

/** Address, keys and identity of the server. */
export const serverSettings = {
  ...settingGroup("Server", {
    port: setting(integer(0, 65_535), {
      flag: "--port",
      default: "1337",
      description: "Port of the app, the Parse API, live queries and the data API. 0 picks a free port.",
    }),
    host: setting(text(), {
      flag: "--host",
      default: "127.0.0.1",
      description: "IP address to listen on; 0.0.0.0 accepts connections from other machines.",
    }),
    dataDir: setting(text(), {
      flag: "--data-dir",
      default: "./data",
      description: "Directory of the database, the keys, uploaded files and the local chain.",
    }),
    environment: setting(oneOf(["development", "production"]), {
      flag: "--env",
      env: "PURSE_ENV",
      description: "development or production. Default: NODE_ENV, or else development.",
    }),
    serverUrl: setting(serverUrl().optional(), {
      description: "Public URL of the Parse API, ending in /server. Default: derived from host and port.",
    }),
    processes: setting(countOrAuto(256), {
      flag: "--processes",
      default: "1",
      description:
        "Number of processes that serve the port, or auto for one per core. More than one needs PostgreSQL.",
    }),
    roles: setting(list(parseRoles), {
      flag: "--roles",
      default: ROLES.join(","),
      description:
        "Roles of this process, separated by commas: api (HTTP requests), live (live queries), worker (scheduled jobs, pushes, on-chain events), chain (indexing). Fewer than all need PostgreSQL.",
    }),
    drainDelaySeconds: setting(integer(0, 600), {
      default: { development: "0", production: "5" },
      description:
        "How long the server still accepts connections after SIGTERM while /ready returns 503, in seconds. Load balancers must detect it in this time.",
    }),
    drainTimeoutSeconds: setting(integer(1, 3_600), {
      default: "30",
      description: "How long accepted requests may continue after that, in seconds; then they are aborted.",
    }),
    trustedProxies: setting(addresses().optional(), {
      description:
        "Trusted proxies, whose X-Forwarded-For, X-Forwarded-Host and X-Forwarded-Proto are used, separated by commas: IP addresses, ranges (10.0.0.0/8), loopback, linklocal, uniquelocal; * for all. Default: none.",
    }),
  }),
  ...settingGroup("Keys", {
    appId: setting(text().optional(), {
      description:
        "Application ID of the clients. Generated on first start if unset, and stored in keys.json.",
    }),
    masterKey: setting(secret(8).optional(), {
      description:
        "Bypasses all permission checks. Generated on first start if unset, and stored in keys.json.",
      isSecret: true,
    }),
    readOnlyMasterKey: setting(secret(8).optional(), {
      description: "Grants read-only access to everything. Disabled if unset.",
      isSecret: true,
    }),
    masterKeyIps: setting(addresses(), {
      default: "127.0.0.1,::1",
      description: "IP addresses and ranges that may use the master keys, separated by commas; * for all.",
    }),
    maintenanceKey: setting(secret(8).optional(), {
      description:
        "Bypasses all permission checks of objects, and sets createdAt and updatedAt of new ones. Disabled if unset; differs from the other keys.",
      isSecret: true,
    }),
    maintenanceKeyIps: setting(addresses(), {
      default: "127.0.0.1,::1",
      description:
        "IP addresses and ranges that may use the maintenance key, separated by commas; * for all.",
    }),
    clientKey: setting(text().optional(), {
      description:
        "Key of native apps. If this or one of the next three is set, clients must send one of them; they are public and replace no permissions.",
    }),
    javascriptKey: setting(text().optional(), { description: "Key of JavaScript apps." }),
    restAPIKey: setting(text().optional(), {
      env: "PURSE_REST_API_KEY",
      description: "Key of clients of the REST API.",
    }),
    dotNetKey: setting(text().optional(), { description: "Key of .NET apps." }),
  }),
};
