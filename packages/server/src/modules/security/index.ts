import { defineModule, type SettingInputsOf, setting } from "@purse/kernel";
import { flag } from "../../config/settingTypes.ts";
import { SCHEMAS, SHARED_SETTINGS, STUDIO } from "../../module/tokens.ts";
import { API_KEYS } from "../apiKeys/token.ts";
import { findSecurityIssues } from "./securityCheck.ts";
import { securityRoute } from "./securityRoute.ts";
import { SECURITY_REPORT } from "./token.ts";

const SETTINGS = {
  enableSecurityCheck: setting(flag(), {
    group: "Server",
    default: "1",
    description: "1 lets the master key read the security check, which Parse Dashboard shows.",
  }),
};

/** The check for insecure settings and permissions, for the studio and for Parse Dashboard. */
export const security = defineModule({
  name: "security",
  provides: SECURITY_REPORT,
  needs: { schemas: SCHEMAS, shared: SHARED_SETTINGS, studio: STUDIO, apiKeys: API_KEYS },
  settings: SETTINGS,
  open({ settings: { enableSecurityCheck: isEnabled }, facts, schemas, shared, studio, apiKeys }) {
    const findings = () =>
      findSecurityIssues(
        {
          settings: { ...shared, ...facts },
          requiresApiKeys: apiKeys.areRequired,
          operators: () => studio().operators(),
        },
        schemas,
      );
    return {
      service: { isEnabled },
      routes: [securityRoute({ isEnabled, findings })],
      async adminRoutes() {
        const [{ route }, { securityEndpoints }] = await Promise.all([
          import("../../studio/route.ts"),
          import("../../studioApi/security.ts"),
        ]);
        return [route(securityEndpoints.security, async () => ({ results: await findings() }))];
      },
    };
  },
});

declare module "@purse/kernel" {
  interface ModuleInputs extends SettingInputsOf<typeof SETTINGS> {}
}
