import { describe, expect, it } from "vitest";
import { type Alert, createAlerts } from "./alerts.ts";

function recordingAlerts(deliver?: (alert: Alert) => Promise<void>) {
  const sent: Alert[] = [];
  const errors: unknown[] = [];
  let now = 0;
  const alerts = createAlerts({
    deliver: deliver ?? (async (alert) => void sent.push(alert)),
    clock: () => now,
    report: (error) => errors.push(error),
  });
  return { alerts, sent, errors, advance: (ms: number) => (now += ms) };
}

const LAG = { title: "The index of eth is behind.", details: "120 blocks" };
const lagging = (problem: typeof LAG | undefined) => [{ kind: "index" as const, subject: "eth", problem }];

describe("alerts", () => {
  it("report an event once per hour and subject", () => {
    const { alerts, sent, advance } = recordingAlerts();
    alerts.raise("job", "clean", "The job clean failed.", "no disk");
    alerts.raise("job", "clean", "The job clean failed.", "no disk");
    alerts.raise("job", "report", "The job report failed.", "");
    advance(3_600_000);
    alerts.raise("job", "clean", "The job clean failed.", "no disk");
    expect(sent.map(({ subject }) => subject)).toEqual(["clean", "report", "clean"]);
    expect(sent[0]).toMatchObject({ kind: "job", details: "no disk", isResolved: false });
  });

  it("report a condition that lasts for two checks, and when it has ended", () => {
    const { alerts, sent } = recordingAlerts();
    alerts.check(lagging(LAG));
    alerts.check(lagging(undefined));
    expect(sent).toEqual([]);
    for (let i = 0; i < 4; i++) alerts.check(lagging(LAG));
    alerts.check(lagging(undefined));
    alerts.check(lagging(undefined));
    expect(sent.map(({ title, isResolved }) => [title, isResolved])).toEqual([
      ["The index of eth is behind.", false],
      ["Resolved: The index of eth is behind.", true],
    ]);
  });

  it("report deliveries that fail", async () => {
    const { alerts, errors } = recordingAlerts(() => Promise.reject(new Error("no mail server")));
    alerts.raise("webhook", "beforeSave.Note", "A webhook failed.", "");
    await alerts.flush();
    expect(errors).toHaveLength(1);
  });
});
