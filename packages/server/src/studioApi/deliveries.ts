import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { newest, nothing, page, row, text } from "./fields.ts";

export const deliveryEndpoints = {
  deliveries: endpoint("GET", "/deliveries", {
    needs: "readOnly",
    summary: "Deliveries of chain events (`_ChainMessage`), kept for a week after they succeeded",
    input: z.object({ status: text().optional(), ...newest }),
    response: page(row),
  }),
  redeliver: endpoint("POST", "/deliveries/:objectId/send", {
    needs: "editor",
    summary: "Sends the delivery again",
    input: nothing,
    response: nothing,
  }),
};
