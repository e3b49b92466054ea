import { describe, expect, it } from "vitest";
import { createGatewayRequest } from "./gateways.ts";

const sender = "0x00000000000000000000000000000000000000AA";
const response = { status: 200, body: '{"data":"0x01"}' };

describe("createGatewayRequest()", () => {
  it("rejects the fifth lookup of one call, so that contracts cannot refer to gateways without end", async () => {
    let requests = 0;
    const request = createGatewayRequest(async () => {
      requests += 1;
      return response;
    });
    const lookup = { sender, urls: ["https://gateway.example/{sender}/{data}"], data: "0x02" } as const;
    for (let i = 0; i < 4; i++) expect(await request(lookup)).toBe("0x01");
    await expect(request(lookup)).rejects.toThrow("too often");
    expect(requests).toBe(4);
  });

  it("requests at most four gateways, and none after a client error", async () => {
    const urls = ["a", "b", "c", "d", "e"].map((host) => `https://${host}.example`);
    const requested: string[] = [];
    const request = (status: number) =>
      createGatewayRequest(async (url, body) => {
        requested.push(`${url} ${body}`);
        return { ...response, status };
      })({ sender, urls, data: "0x02" });
    await expect(request(500)).rejects.toThrow("no gateway responded");
    expect(requested).toEqual(
      urls.slice(0, 4).map((url) => `${url} {"data":"0x02","sender":"${sender.toLowerCase()}"}`),
    );
    await expect(request(404)).rejects.toThrow("no gateway responded");
    expect(requested).toHaveLength(5);
  });
});
