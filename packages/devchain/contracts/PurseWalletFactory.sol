// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {PurseWallet} from "./PurseWallet.sol";

/// Deploys wallets at predictable addresses (CREATE2), so that they can sign before deployment (ERC-6492).
contract PurseWalletFactory {
    event Created(address indexed wallet, address indexed owner);

    function create(address owner, bytes32 salt) external returns (PurseWallet wallet) {
        wallet = new PurseWallet{salt: salt}(owner);
        emit Created(address(wallet), owner);
    }

    function addressOf(address owner, bytes32 salt) external view returns (address) {
        bytes32 code = keccak256(abi.encodePacked(type(PurseWallet).creationCode, abi.encode(owner)));
        return address(uint160(uint256(keccak256(abi.encodePacked(bytes1(0xff), address(this), salt, code)))));
    }
}
