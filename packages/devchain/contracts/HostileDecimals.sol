// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// A traded token that claims to have 255 decimals, so that a whole unit exceeds uint256.
contract HostileDecimals is ERC20 {
    constructor() ERC20("Purse Dollars", "pUSD.") {
        _mint(msg.sender, 1e24);
    }

    function decimals() public pure override returns (uint8) {
        return 255;
    }
}
