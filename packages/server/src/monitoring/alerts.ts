/** A message to operators. */
export interface Alert {
  /** `job`, `webhook`, `index`, `node` or `disk`. */
  kind: "job" | "webhook" | "index" | "node" | "disk";
  /** What it concerns, such as the name of a job. */
  subject: string;
  /** One sentence. */
  title: string;
  details: string;
  /** Whether a state that was reported before has ended. */
  isResolved: boolean;
  at: string;
}

/** A state that is checked regularly. */
export interface Condition {
  kind: "index" | "node" | "disk";
  subject: string;
  /** What is wrong; undefined if nothing is. */
  problem: { title: string; details: string } | undefined;
}

export interface AlertsOptions {
  deliver(alert: Alert): Promise<void>;
  /** ms since the epoch. */
  clock(): number;
  report(error: unknown, activity: string): void;
}

export interface Alerts {
  /** Reports an event, the same kind and subject at most once per hour. */
  raise(kind: "job" | "webhook", subject: string, title: string, details: string): void;
  /** Reports conditions that hold in two checks in a row, and again when they have ended. */
  check(conditions: readonly Condition[]): void;
  /** Waits for deliveries that have begun. */
  flush(): Promise<void>;
}

/** How long an event is not reported again, in ms. */
const QUIET_MS = 3_600_000;
/** Subjects that are remembered at most. */
const MAX_SUBJECTS = 1_000;

/** Decides which events and conditions are reported to operators, so that each is reported once. */
export function createAlerts({ deliver, clock, report }: AlertsOptions): Alerts {
  const lastReports = new Map<string, number>();
  const states = new Map<string, { count: number; title: string }>();
  const pending = new Set<Promise<void>>();

  function send(alert: Omit<Alert, "at">): void {
    const delivery = deliver({ ...alert, at: new Date(clock()).toISOString() })
      .catch((error: unknown) => report(error, "delivering an alert"))
      .finally(() => pending.delete(delivery));
    pending.add(delivery);
  }

  return {
    raise(kind, subject, title, details) {
      const key = `${kind}/${subject}`;
      const last = lastReports.get(key);
      if (last !== undefined && clock() - last < QUIET_MS) return;
      if (lastReports.size >= MAX_SUBJECTS) lastReports.clear();
      lastReports.set(key, clock());
      send({ kind, subject, title, details, isResolved: false });
    },
    check(conditions) {
      for (const { kind, subject, problem } of conditions) {
        const key = `${kind}/${subject}`;
        const state = states.get(key);
        if (problem) {
          const count = (state?.count ?? 0) + 1;
          states.set(key, { count, title: problem.title });
          if (count === 2) send({ kind, subject, ...problem, isResolved: false });
        } else if (state) {
          states.delete(key);
          if (state.count >= 2) {
            send({ kind, subject, title: `Resolved: ${state.title}`, details: "", isResolved: true });
          }
        }
      }
    },
    async flush() {
      await Promise.all(pending);
    },
  };
}
