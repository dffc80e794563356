/**
 * A service whose bank runs in a separate process behind a proxy, so that a test can kill the bank and break the
 * connection.
 */
import { startBankProcess, type BankProcess } from "./bank-process.ts";
import { openBankProxy, type BankProxy } from "./bank-proxy.ts";
import { startTestService, type TestService } from "./test-service.ts";

export interface ServiceWithKillableBank extends TestService {
  bank: BankProcess;
  line: BankProxy;
}

export async function startWithKillableBank(): Promise<ServiceWithKillableBank> {
  const bank = await startBankProcess();
  const line = await openBankProxy(bank.url);
  const service = await startTestService({ bankUrl: line.url });
  return {
    ...service,
    bank,
    line,
    async close() {
      await service.close();
      await line.close();
      await bank.close();
    },
  };
}
