import { Trash2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Address } from "../design/Address.tsx";
import { Button } from "../design/Button.tsx";
import { Chart, Sparkline } from "../design/Chart.tsx";
import { Checkbox, Select, Switch } from "../design/Choice.tsx";
import { Code } from "../design/Code.tsx";
import { Dialog } from "../design/Dialog.tsx";
import { Field, TextArea } from "../design/Field.tsx";
import { LiveStatus } from "../design/LiveStatus.tsx";
import { Moment } from "../design/Moment.tsx";
import { FailedRead, QueryState } from "../design/QueryState.tsx";
import { Notice, Status } from "../design/Status.tsx";
import { Stepper } from "../design/Stepper.tsx";
import { EmptyState, ErrorState, SkeletonList } from "../design/states.tsx";
import { Table } from "../design/Table.tsx";
import { Tabs } from "../design/Tabs.tsx";
import { useToast } from "../design/Toasts.tsx";
import { usePageTitle } from "../usePageTitle.ts";
import "./Design.css";

const COLOURS = [
  ["paper", "ink"],
  ["surface", "ink"],
  ["surface-sunken", "ink"],
  ["accent", "accent-ink"],
  ["accent-soft", "accent"],
  ["brass-soft", "brass"],
  ["info-soft", "info"],
  ["danger-soft", "danger"],
] as const;

const DAY = 86_400_000;
const VALUES = [41, 44, 40, 52, 58, 55, 63, 61, 70, 68, 77, 81];
const POINTS = VALUES.map((value, i) => ({ at: Date.UTC(2026, 0, 1) + i * DAY, value: value * 12.5 }));
/** A read that has failed, five minutes after one that succeeded. */
const FAILED = {
  data: undefined,
  error: { code: 100, message: "" },
  isFetching: false,
  dataUpdatedAt: Date.now() - 300_000,
  refetch: () => undefined,
};
const ADDRESS = "0xd8da6bf26964af9d7eed9e03e53415d37aa96045";

/** The living page of the design system: every part, as it is. docs/contribute/design.md says when to use which. */
export function Design() {
  usePageTitle("Design");
  const toast = useToast();
  const [dialog, setDialog] = useState<"middle" | "side" | undefined>(undefined);
  const [tab, setTab] = useState<"tokens" | "nfts">("tokens");
  const [chain, setChain] = useState<"eth" | "base">("eth");
  const [isOn, setIsOn] = useState(true);
  return (
    <>
      <div className="page-head">
        <h1>Design</h1>
      </div>
      <div className="stack" style={{ gap: "1.5rem" }}>
        <Part title="Colours">
          <ul className="swatches">
            {COLOURS.map(([back, front]) => (
              <li key={back} style={{ background: `var(--${back})`, color: `var(--${front})` }}>
                <strong>{back}</strong>
                <span>{front}</span>
              </li>
            ))}
          </ul>
        </Part>
        <Part title="Buttons">
          <div className="row">
            <Button look="primary">Goes on</Button>
            <Button>Another way</Button>
            <Button look="quiet">Quiet</Button>
            <Button look="danger">
              <Trash2 size={16} aria-hidden="true" /> Takes away
            </Button>
            <Button busy>Under way</Button>
            <Button disabled>Not now</Button>
            <Button small>Small</Button>
          </div>
        </Part>
        <Part title="Fields and choices">
          <div className="columns">
            <Field
              label="Recipient"
              placeholder="0x… or a name"
              hint="An address, or a name as vitalik.eth."
            />
            <Field
              label="Amount"
              defaultValue="12,5,0"
              problem="That is no number: one comma or dot is enough."
            />
            <TextArea label="Note" rows={3} />
            <div className="stack tight">
              <Select
                label="Chain"
                value={chain}
                onChange={setChain}
                options={[
                  { key: "eth", label: "Ethereum" },
                  { key: "base", label: "Base" },
                ]}
              />
              <Switch label="Hide dust" checked={isOn} onChange={setIsOn} />
              <Checkbox label="I have read it" checked={isOn} onChange={setIsOn} />
            </div>
          </div>
        </Part>
        <Part title="States">
          <div className="row">
            <Status kind="ok">Final</Status>
            <Status kind="busy">Seen</Status>
            <Status kind="warning">Replaced</Status>
            <Status kind="danger">Reverted</Status>
            <Status kind="info">2 confirmations</Status>
            <Status kind="idle">Not started</Status>
          </div>
          <Notice kind="warning" title="This address looks like one that you know">
            Its beginning and end are those of a contact of yours. Compare all of it.
          </Notice>
          <ErrorState error={{ code: 100, message: "" }} retry={() => toast("Tried again")} />
          <QueryState query={{ ...FAILED, data: "The newest block is 1,204." }} label="Loading">
            {(text) => <p>{text}</p>}
          </QueryState>
          <FailedRead query={FAILED}>The prices could not be read.</FailedRead>
          <div className="row">
            <LiveStatus state="connecting" />
            <LiveStatus state="live" />
            <LiveStatus state="reconnecting" />
            <LiveStatus state="offline" />
          </div>
          <div className="columns">
            <EmptyState title="No file yet" action={<Button look="primary">Choose one</Button>}>
              Drop one here, or paste it.
            </EmptyState>
            <SkeletonList rows={3} label="Loading" />
          </div>
        </Part>
        <Part title="Numbers">
          <Chart
            label="Value of the portfolio"
            points={POINTS}
            format={(value) => value.toLocaleString("en", { style: "currency", currency: "USD" })}
          />
          <Table
            caption="Some tokens"
            keyOf={({ name }) => name}
            empty={null}
            columns={[
              { key: "name", label: "Token", cell: ({ name }) => <strong>{name}</strong> },
              {
                key: "trend",
                label: "Week",
                minor: true,
                cell: ({ name }) => <Sparkline label={name} values={VALUES} />,
              },
              { key: "amount", label: "Amount", number: true, cell: ({ amount }) => amount },
              { key: "seen", label: "Seen", cell: ({ seen }) => <Moment at={seen} /> },
            ]}
            rows={[
              { name: "Purse Token", amount: "909,988.99", seen: POINTS[3]?.at ?? 0 },
              { name: "Wrapped Ether", amount: "1.5", seen: POINTS[9]?.at ?? 0 },
            ]}
          />
        </Part>
        <Part title="Addresses and code">
          <Address address={ADDRESS} copy />
          <Address address={ADDRESS} short />
          <Code label="A query" text={'new Query("Note").equalTo("done", false).find();'} />
        </Part>
        <Part title="Over the page">
          <div className="row">
            <Button onClick={() => setDialog("middle")}>A dialog</Button>
            <Button onClick={() => setDialog("side")}>A side panel</Button>
            <Button
              onClick={() => toast("Deleted one note", { label: "Undo", run: () => toast("It is back") })}
            >
              A message
            </Button>
          </div>
          <Tabs
            label="Holdings"
            tabs={[
              { key: "tokens", label: "Tokens" },
              { key: "nfts", label: "NFTs" },
            ]}
            value={tab}
            onChange={setTab}
          >
            <p>What belongs to {tab}.</p>
          </Tabs>
          <Stepper
            steps={[
              { label: "Signed", state: "done" },
              { label: "Seen by the network", state: "now" },
              { label: "Final", state: "todo" },
            ]}
          />
        </Part>
      </div>
      <Dialog
        open={dialog !== undefined}
        onClose={() => setDialog(undefined)}
        side={dialog === "side"}
        title="Remove this wallet?"
        about="You can link it again at any time."
        actions={
          <>
            <Button onClick={() => setDialog(undefined)}>Keep it</Button>
            <Button look="danger" onClick={() => setDialog(undefined)}>
              Remove
            </Button>
          </>
        }
      >
        <Address address={ADDRESS} />
      </Dialog>
    </>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="card stack" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}
