import { defineModule, type SettingInputsOf } from "@purse/kernel";
import { CLOCK, HTTP, IS_OWN_SITE, RATE_LIMITER, REPORT, SCHEMAS, STORE } from "../../module/tokens.ts";
import { apiKeyRules } from "./apiKeyRules.ts";
import { ApiKeys } from "./apiKeys.ts";
import { createDataRequestAuthentication } from "./authenticateDataRequest.ts";
import { createDataApiLimits } from "./dataApiLimits.ts";
import { openKeyUsage } from "./keyUsage.ts";
import { apiKeySettings } from "./settings.ts";
import { API_KEYS } from "./token.ts";

/** API keys of the data API: their limits, and their use by the hour. */
export const apiKeys = defineModule({
  name: "apiKeys",
  provides: API_KEYS,
  needs: {
    store: STORE,
    schemas: SCHEMAS,
    clock: CLOCK,
    report: REPORT,
    limiter: RATE_LIMITER,
    http: HTTP,
    isOwnSite: IS_OWN_SITE,
  },
  settings: apiKeySettings,
  classes: () => [apiKeyRules()],
  async open({ settings, facts, store, schemas, clock, report, limiter, http, isOwnSite }) {
    const { requireApiKey, apiKeyLimit, addressLimit } = settings;
    const isDevelopment = facts.environment === "development";
    const keys = new ApiKeys({
      store,
      schemaOf: () => schemas.require("_ApiKey"),
      clock,
      onError: (error) => report(error, "recording the use of an API key"),
    });
    const keyUsage = await openKeyUsage(store, clock, (error) =>
      report(error, "counting the use of API keys"),
    );
    return {
      service: {
        areRequired: requireApiKey,
        find: (text) => keys.authenticate(text),
        authenticate: createDataRequestAuthentication({
          apiKeys: keys,
          recordUse: (keyId) => keyUsage.count(keyId),
          verifyMasterKey: http.verifyMasterKey,
          limits: createDataApiLimits({
            limiter,
            limits: { apiKey: apiKeyLimit, address: addressLimit },
            isDevelopment,
          }),
          requireApiKey,
          isDevelopment,
          isOwnSite,
        }),
      },
      async adminRoutes() {
        const { apiKeyAdminRoutes } = await import("./adminRoutes.ts");
        return apiKeyAdminRoutes({ apiKeys: keys, keyUsage, limiter });
      },
      async stop() {
        await keyUsage.stop();
        await keys.close();
      },
    };
  },
});

declare module "@purse/kernel" {
  interface ModuleInputs extends SettingInputsOf<typeof apiKeySettings> {}
}
