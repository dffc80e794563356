/** Runs a job and logs its error in the console, so that the next job still runs. */
export const tryTo = (job: () => void): void => {
  try {
    job();
  } catch (error) {
    console.error(error);
  }
};
