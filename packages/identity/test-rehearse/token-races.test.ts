/** The races of test-system with more trials, and with clock skew. Needs Debian's `faketime`. */
import { postgresDatabases, sqliteDatabases } from "../test/databases.js";
import { tokenRacesContract } from "../test-system/tokens/token-races-contract.js";

const workers = { IDENTITY_WORKERS: "2" };
/** Five minutes ahead. The program `faketime` would keep signals to itself; timers go by the monotonic clock, which stays as it is. */
const ahead = {
  env: {
    LD_PRELOAD: "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1",
    FAKETIME: "+300s",
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
  },
};

tokenRacesContract(postgresDatabases, { processes: [{}, {}], connections: 8, trials: 24 });
tokenRacesContract(postgresDatabases, { processes: [{}, ahead], connections: 8, trials: 24 });
tokenRacesContract(postgresDatabases, { processes: [ahead, {}], connections: 8, trials: 24 });
tokenRacesContract(sqliteDatabases, { processes: [{ env: workers }], connections: 24, trials: 24 });
