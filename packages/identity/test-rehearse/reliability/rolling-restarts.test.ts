import { rollingRestartsContract } from "../../test-system/reliability/rolling-restarts-contract.js";

rollingRestartsContract(20, 10_000);
