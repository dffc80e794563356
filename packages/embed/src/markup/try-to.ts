/** Runs one job of several: what it throws is told on the console and keeps nobody from the next. */
export function tryTo(job: () => void): void {
  try {
    job();
  } catch (error) {
    console.error(error);
  }
}
