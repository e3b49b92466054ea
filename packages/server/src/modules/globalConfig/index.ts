import { defineModule } from "@purse/kernel";
import { writtenOnlyThrough } from "../../data/objects/classRules.ts";
import { CLOCK, CLOUD, DENIED_KEYWORDS, SCHEMAS, STORE, STUDIO_CLASSES } from "../../module/tokens.ts";
import { ConfigHistory } from "./configHistory.ts";
import { globalConfigRoutes } from "./globalConfigRoutes.ts";
import { GlobalConfigService } from "./globalConfigService.ts";

/** The config of applications: parameters that clients read, and their history. */
export const globalConfig = defineModule({
  name: "globalConfig",
  needs: {
    store: STORE,
    schemas: SCHEMAS,
    clock: CLOCK,
    cloud: CLOUD,
    assertAllowed: DENIED_KEYWORDS,
    studioClasses: STUDIO_CLASSES,
  },
  // They require the master key.
  classes: () => [
    {
      className: "_GlobalConfig",
      fields: { params: { type: "Object" }, masterKeyOnly: { type: "Object" } },
      ...writtenOnlyThrough("/config"),
    },
  ],
  open({ store, schemas, clock, cloud, assertAllowed, studioClasses }) {
    const history = new ConfigHistory({ store, classes: studioClasses, clock });
    const service = new GlobalConfigService({
      store,
      schemaOf: (className) => schemas.require(className),
      clock,
      triggerOf: cloud.configTrigger,
      assertAllowed,
      history,
    });
    return {
      routes: globalConfigRoutes(service),
      async adminRoutes() {
        const { configAdminRoutes } = await import("./adminRoutes.ts");
        return configAdminRoutes(service, history);
      },
    };
  },
});
