import { defineModule } from "@purse/kernel";
import { COUNT_APP_EVENT } from "../../module/tokens.ts";
import { analyticsRoute } from "./analyticsRoute.ts";

/** Analytics events of apps, which metrics count. */
export const analytics = defineModule({
  name: "analytics",
  needs: { countAppEvent: COUNT_APP_EVENT },
  open: ({ countAppEvent }) => ({ routes: [analyticsRoute(countAppEvent)] }),
});
