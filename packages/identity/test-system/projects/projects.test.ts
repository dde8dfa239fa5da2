import { domainContract } from "../../test/projects/domain-contract.js";
import { projectContract } from "../../test/projects/project-contract.js";
import { projectListContract } from "../../test/projects/project-list-contract.js";
import { tagContract } from "../../test/projects/tag-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

domainContract(postgresDatabases);
projectContract(postgresDatabases);
projectListContract(postgresDatabases);
tagContract(postgresDatabases);
