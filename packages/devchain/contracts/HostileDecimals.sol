// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// A token that is traded, and says that a whole one has 10^255 units: more than there can be.
contract HostileDecimals is ERC20 {
    constructor() ERC20("Purse Dollars", "pUSD.") {
        _mint(msg.sender, 1e24);
    }

    function decimals() public pure override returns (uint8) {
        return 255;
    }
}
