type OnClose = (closer: () => unknown) => void;

/**
 * Runs what opens one thing after the other; `close` closes them, the last first. What was opened is closed too if the
 * rest fails.
 */
export const openAll = async <Opened extends object>(
  open: (onClose: OnClose) => Promise<Opened>,
): Promise<Opened & { readonly close: () => Promise<void> }> => {
  const closers: (() => unknown)[] = [];
  const close = async () => {
    for (let closer = closers.pop(); closer; closer = closers.pop()) await closer();
  };
  try {
    return { ...(await open((closer) => closers.push(closer))), close };
  } catch (error) {
    await close();
    throw error;
  }
};
