import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { nothing, results, text } from "./fields.ts";

const cid = text(200);

export const pinEndpoints = {
  pins: endpoint("GET", "/pins", {
    needs: "readOnly",
    summary: "IPFS pins",
    input: nothing,
    response: results(z.object({ cid: z.string(), pinnedAt: z.string().optional() })),
  }),
  pin: endpoint("POST", "/pins", {
    needs: "editor",
    summary: "Pins the CID; 404 if its content is incomplete",
    input: z.object({ cid }),
    response: z.object({ cid: z.string() }),
    status: 201,
  }),
  unpin: endpoint("DELETE", "/pins/:cid", {
    needs: "editor",
    summary: "Unpins the CID",
    input: nothing,
    response: nothing,
  }),
};
