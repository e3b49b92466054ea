import { defineModule } from "@purse/kernel";
import { LOG_LINES } from "../../module/tokens.ts";
import { scriptLogRoute } from "./scriptLog.ts";

/** The last lines of the log, for Parse Dashboard and the studio. */
export const logs = defineModule({
  name: "logs",
  needs: { lines: LOG_LINES },
  open: ({ lines }) => ({
    routes: [scriptLogRoute(lines)],
    async adminRoutes() {
      const { logAdminRoutes } = await import("./adminRoutes.ts");
      return logAdminRoutes(lines);
    },
  }),
});
