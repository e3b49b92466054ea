import { type CSSProperties, createElement, type ReactElement } from "react";

/** The appearance of the badge. */
export interface ByMoralisProps {
  variant?: "colour" | "dark" | "light";
  /** In pixels; the height follows. */
  width?: number;
  style?: CSSProperties;
}

const COLORS = {
  colour: { ground: "#1f6f5c", ink: "#ffffff" },
  dark: { ground: "#16181d", ink: "#ffffff" },
  light: { ground: "#ffffff", ink: "#16181d" },
} as const;

const LABEL = "Built on Purse";

/** A badge with the name of the platform. */
export function ByMoralis({ variant = "colour", width = 250, style }: ByMoralisProps): ReactElement {
  const colors = COLORS[variant];
  const ground = createElement("rect", {
    x: 1,
    y: 1,
    width: 248,
    height: 58,
    rx: 12,
    fill: colors.ground,
    stroke: colors.ink,
    strokeOpacity: 0.15,
  });
  const wallet = createElement(
    "g",
    { fill: "none", stroke: colors.ink, strokeWidth: 3, strokeLinejoin: "round", strokeLinecap: "round" },
    createElement("path", {
      d: "M20 24h28a4 4 0 0 1 4 4v14a4 4 0 0 1-4 4H20a4 4 0 0 1-4-4V20a4 4 0 0 1 4-4h24",
    }),
    createElement("path", { d: "M44 35h0.1", strokeWidth: 5 }),
  );
  const text = createElement(
    "text",
    {
      x: 68,
      y: 38,
      fill: colors.ink,
      fontFamily: "system-ui, sans-serif",
      fontSize: 22,
      fontWeight: 600,
      textLength: 164,
      lengthAdjust: "spacingAndGlyphs",
    },
    LABEL,
  );
  return createElement(
    "svg",
    {
      xmlns: "http://www.w3.org/2000/svg",
      viewBox: "0 0 250 60",
      width,
      height: (width * 60) / 250,
      style,
      role: "img",
      "aria-label": LABEL,
    },
    ground,
    wallet,
    text,
  );
}
