import { Component, type ReactNode } from "react";

interface ErrorBoundaryProps {
  children: ReactNode;
  /** Rendered in place of the children after an error. */
  fallback: (error: unknown, reset: () => void) => ReactNode;
}

interface State {
  failure: { error: unknown } | undefined;
}

/** Keeps an error of its children from the components around it. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, State> {
  override state: State = { failure: undefined };

  static getDerivedStateFromError(error: unknown): State {
    return { failure: { error } };
  }

  readonly #reset = () => this.setState({ failure: undefined });

  override render() {
    const { failure } = this.state;
    return failure ? this.props.fallback(failure.error, this.#reset) : this.props.children;
  }
}
